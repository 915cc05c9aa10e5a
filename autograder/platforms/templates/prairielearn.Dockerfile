# Image for the questions. It contains only libraries, and no answers. To build it, run:
#   docker build -t autograder serverFilesCourse/autograder
FROM python:@PYTHON@-slim
COPY requirements.txt /tmp/requirements.txt
RUN python -m pip install --no-cache-dir @INDEX@-r /tmp/requirements.txt
