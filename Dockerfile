# The images of Pubweave: `base` for every service but two, `pdf` for the PDF reader, `renderer` for the browser.
#
#   docker build --target base -t pubweave:dev .
#
# Versions are those of requirements.lock. Final images have no build tools, run as user 10001, and write to /tmp
# only.

ARG PYTHON=docker.io/library/python:3.11-slim-bookworm

# --- what is installed -----------------------------------------------------------------------------------------

FROM ${PYTHON} AS tools
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
# A venv without pip: pip works on it from outside and stays behind.
RUN python3 -m venv /pip && python3 -m venv --without-pip /opt/pubweave
COPY requirements.lock requirements-dev.lock pyproject.toml ./
# What each image needs beside ourselves, in a file of its own: our code may change without it being fetched again.
RUN python3 -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
    extras = project["optional-dependencies"]; \
    [open(f"{name}.txt", "w").write("\n".join(project["dependencies"] + extras["bus"] + extras.get(name, []))) \
    for name in ("base", "pdf", "renderer")]'

FROM tools AS wheel
RUN /pip/bin/pip install "$(grep '^hatchling==' requirements-dev.lock)" --constraint requirements-dev.lock
COPY README.md LICENSE ./
COPY shared shared
COPY services services
COPY rules rules
RUN /pip/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels .

FROM tools AS build-base
RUN /pip/bin/pip --python /opt/pubweave/bin/python install --constraint requirements.lock --requirement base.txt
COPY --from=wheel /wheels /wheels
RUN /pip/bin/pip --python /opt/pubweave/bin/python install --no-deps /wheels/*.whl

FROM tools AS build-pdf
RUN /pip/bin/pip --python /opt/pubweave/bin/python install --constraint requirements.lock --requirement pdf.txt
COPY --from=wheel /wheels /wheels
RUN /pip/bin/pip --python /opt/pubweave/bin/python install --no-deps /wheels/*.whl

FROM tools AS build-renderer
RUN /pip/bin/pip --python /opt/pubweave/bin/python install --constraint requirements.lock --requirement renderer.txt
COPY --from=wheel /wheels /wheels
RUN /pip/bin/pip --python /opt/pubweave/bin/python install --no-deps /wheels/*.whl

# --- what runs -------------------------------------------------------------------------------------------------

FROM ${PYTHON} AS runtime
RUN groupadd --gid 10001 pubweave \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin pubweave \
    && mkdir /etc/pubweave
ENV PATH=/opt/pubweave/bin:$PATH \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PUBWEAVE_HEALTH=0.0.0.0:8080
# A pubweave.toml that is mounted here is read.
WORKDIR /etc/pubweave
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=300s --retries=3 \
    CMD ["python", "-m", "pubweave.deploy.healthy"]
ENTRYPOINT ["pubweave"]
CMD ["--help"]

FROM runtime AS pdf
COPY --from=build-pdf /opt/pubweave /opt/pubweave
USER 10001:10001

FROM runtime AS renderer
RUN apt-get update \
    && apt-get install --yes --no-install-recommends chromium fonts-liberation \
    && rm -rf /var/lib/apt/lists/* \
    # Its own sandbox needs user namespaces, which containers refuse. This one has no network, no capability and
    # nothing to write to: the container is the sandbox.
    && echo 'export CHROMIUM_FLAGS="$CHROMIUM_FLAGS --no-sandbox"' > /etc/chromium.d/container
COPY --from=build-renderer /opt/pubweave /opt/pubweave
USER 10001:10001

# Last: what is built when no target is named.
FROM runtime AS base
COPY --from=build-base /opt/pubweave /opt/pubweave
USER 10001:10001
