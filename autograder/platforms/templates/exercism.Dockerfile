# The image of the test runner. Answers are in it, and no code of a student's can read them.
FROM python:@PYTHON@-slim
COPY requirements.txt /opt/test-runner/
RUN python -m pip install --no-cache-dir @INDEX@-r /opt/test-runner/requirements.txt
COPY . /opt/test-runner
WORKDIR /opt/test-runner
ENTRYPOINT ["/opt/test-runner/bin/run.sh"]
