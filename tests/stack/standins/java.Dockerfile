# What both servers stand on.
FROM standin/python:3.11
RUN apt-get update \
    && apt-get install --yes --no-install-recommends openjdk-17-jre-headless procps iproute2 \
    && rm -rf /var/lib/apt/lists/*
