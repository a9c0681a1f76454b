# One image for every role: `serve` for all on one machine; `api` and `worker` in a fleet.
FROM python:3.12-slim AS build
WORKDIR /build
RUN python -m venv /opt/fieldmark
COPY requirements/runtime.txt requirements/runtime.txt
RUN /opt/fieldmark/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.txt
COPY pyproject.toml README.md LICENSE ./
COPY service service
COPY workers workers
RUN /opt/fieldmark/bin/pip install --no-cache-dir --no-deps .

FROM python:3.12-slim
RUN useradd --system --uid 10001 --create-home fieldmark && install -d -o fieldmark -g fieldmark -m 0700 /data
COPY --from=build /opt/fieldmark /opt/fieldmark
ENV PATH=/opt/fieldmark/bin:$PATH FIELDMARK_HOME=/data PYTHONUNBUFFERED=1
USER fieldmark
WORKDIR /data
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["fieldmark"]
# Beyond loopback it wants an API key: `fieldmark keys add NAME --role admin` in the same volume makes the first.
CMD ["serve", "--host", "0.0.0.0"]
