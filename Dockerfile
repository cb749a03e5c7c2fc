# The command alone, without extras: docker build --tag fullmarks .
# With an extra: docker build --build-arg EXTRAS=parquet,zh --tag fullmarks .
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS build
# The kernel is compiled here; the compiler stays behind.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml setup.py README.md LICENSE MANIFEST.in ./
COPY src ./src
ARG EXTRAS=""
RUN python -m venv /opt/fullmarks \
    && /opt/fullmarks/bin/pip install --no-cache-dir --disable-pip-version-check ".${EXTRAS:+[$EXTRAS]}" \
    && /opt/fullmarks/bin/python -c "from fullmarks.text import kernel; assert kernel.IMPLEMENTATION == 'c'" \
    && /opt/fullmarks/bin/pip uninstall --yes pip

FROM python:${PYTHON}-slim
COPY --from=build /opt/fullmarks /opt/fullmarks
RUN useradd --create-home --uid 1000 scorer
ENV PATH=/opt/fullmarks/bin:$PATH PYTHONDONTWRITEBYTECODE=1
USER 1000:1000
WORKDIR /data
ENTRYPOINT ["fullmarks"]
CMD ["--help"]
