# The same application as `npm start`, in one container. Every stage ends in files that the last one copies.

FROM node:22-bookworm-slim AS page
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY frontend/package.json frontend/
RUN npm ci --no-audit --no-fund
COPY frontend frontend
COPY docs/capture.md docs/
RUN npm run -w frontend build

FROM rust:1-bookworm AS wheels
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
RUN python3 -m venv /build
COPY scripts/requirements-build.lock scripts/
RUN /build/bin/pip install --no-cache-dir --require-hashes -r scripts/requirements-build.lock
COPY Cargo.toml Cargo.lock ./
COPY trace_parsers trace_parsers
COPY backend backend
RUN /build/bin/maturin build --release --locked --compatibility linux \
      --interpreter /build/bin/python --manifest-path backend/native/Cargo.toml --out /wheels \
 && /build/bin/pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels ./backend

FROM python:3.13-slim-bookworm
# The whole environment belongs to root: the running process can write to /data and /tmp, and nowhere else.
RUN --mount=type=bind,from=wheels,source=/wheels,target=/wheels \
    --mount=type=bind,source=backend/requirements.lock,target=/requirements.lock \
    pip install --no-cache-dir --require-hashes -r /requirements.lock \
 && pip install --no-cache-dir --no-index --no-deps /wheels/*.whl \
 && useradd --system --uid 10001 --home-dir /tmp --shell /usr/sbin/nologin numalens \
 && install -d -o numalens -g numalens /data
COPY --from=page /src/frontend/dist /opt/numalens/web
COPY samples/cling-2x4-heavy /opt/numalens/sample
COPY LICENSE /opt/numalens/
ENV NUMALENS_DATA=/data \
    NUMALENS_WEB=/opt/numalens/web \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER numalens
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
CMD ["numalens", "serve", "--host", "0.0.0.0", "--port", "8000", "--sample", "/opt/numalens/sample"]
