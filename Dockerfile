# The same application as `npm start`, in one container: the wheels of `npm run package`, installed.

FROM node:22.23.3-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c AS node

FROM rust:1.98.1-bookworm@sha256:93ce27a88655056a51dbdd8f5f2d7ddc071c7b0070fb288a37b5a285fc83971e AS wheels
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
 && apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN npm run package

FROM python:3.13.14-slim-bookworm@sha256:67a1e1f215ccda113cfc024e8639049257e88f273898f595b61476d128d387e8
# The whole environment belongs to root: the running process can write to /data and /tmp, and nowhere else.
RUN --mount=type=bind,from=wheels,source=/src,target=/src \
    pip install --no-cache-dir --require-hashes -r /src/backend/requirements-extras.lock \
 && pip install --no-cache-dir --no-index --no-deps /src/dist/*.whl \
 && useradd --system --uid 10001 --home-dir /tmp --shell /usr/sbin/nologin numalens \
 && install -d -o numalens -g numalens /data
COPY samples/cling-2x4-heavy /opt/numalens/sample
COPY LICENSE /opt/numalens/
ENV NUMALENS_DATA=/data \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER numalens
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
CMD ["numalens", "serve", "--host", "0.0.0.0", "--port", "8000", "--sample", "/opt/numalens/sample"]
