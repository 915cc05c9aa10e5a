# The image that the questions name. It holds libraries alone, and no answer:
#   docker build -t autograder serverFilesCourse/autograder
FROM python:@PYTHON@-slim
COPY requirements.txt /tmp/requirements.txt
RUN python -m pip install --no-cache-dir @INDEX@-r /tmp/requirements.txt
