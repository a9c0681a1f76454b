"""Every setting, as `FIELDMARK_…` environment variables or lines of a `.env` file; each has a default that works.

Built once by the entry point and passed on; nothing here is global.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """What a process is told from outside."""

    model_config = SettingsConfigDict(env_prefix="FIELDMARK_", env_file=".env", extra="ignore", frozen=True)

    home: Path = Field(Path(".fieldmark"), description="Folder that holds all state of one installation.")
    database_url: str = Field("", description="SQLAlchemy URL; empty: SQLite inside the home.")
    redis_url: str = Field("", description="Redis or Valkey; empty: `fieldmark serve` starts a private one.")
    redis_binary: str = Field(
        "", description="Redis or Valkey program that `serve` starts; empty: the first found; `none`: do without."
    )
    blobs_url: str = Field("", description="`s3://bucket/prefix`; empty: a folder inside the home.")
    s3_endpoint_url: str = Field("", description="Endpoint of an S3-compatible store other than Amazon's.")

    model: str = Field("embedded", description="Model of a job that names none, as `provider` or `provider:model`.")
    upstage_api_key: SecretStr = Field(SecretStr(""), description="Key of the Upstage client.")
    upstage_base_url: str = Field("https://api.upstage.ai/v1", description="Base URL of the Upstage client.")
    openai_api_key: SecretStr = Field(
        SecretStr(""), description="Key of the OpenAI-compatible client; servers of one's own may need none."
    )
    openai_base_url: str = Field(
        "https://api.openai.com/v1",
        description="Base URL of an OpenAI-compatible server; `{model}` in it stands for the model.",
    )
    openai_api_version: str = Field("", description="Azure's `api-version`; when set, the key is sent as `api-key`.")
    openai_model: str = Field("gpt-5-mini", description="Model of `openai` where a job names none.")
    openai_models: dict[str, dict[str, JsonValue]] = Field(
        {},
        description='JSON: what models can do, by pattern of their names, as `{"qwen*": {"context_tokens": 16384}}`.',
    )

    max_file_bytes: int = Field(52_428_800, gt=0, description="Largest upload.")
    max_archive_bytes: int = Field(5_000_000_000, gt=0, description="Most bytes that come out of one archive.")
    max_pages: int = Field(1000, gt=0, description="Most pages of a file.")
    max_page_pixels: int = Field(200_000_000, gt=0, description="Most pixels of an image that is taken in.")
    max_schema_chars: int = Field(120_000, gt=0, description="Longest schema, counted minified.")
    max_properties: int = Field(5000, gt=0, description="Most fields of a schema.")

    read_range_pages: int = Field(10, gt=0, description="Pages one reading step covers.")
    page_timeout_s: float = Field(20.0, gt=0, description="Longest reading of one digital page.")
    ocr_page_timeout_s: float = Field(90.0, gt=0, description="Longest optical reading of one page.")
    pdf_memory_bytes: int = Field(2_000_000_000, gt=0, description="Address space of a sandbox without OCR.")
    ocr_memory_bytes: int = Field(1_400_000_000, gt=0, description="Resident memory at which an OCR sandbox is ended.")

    model_timeout_s: float = Field(600.0, gt=0, description="Longest model call.")
    model_attempts: int = Field(
        4, gt=0, description="Calls of one request, the first included, before its split fails."
    )
    provider_limits: dict[str, dict[str, float]] = Field(
        {},
        description="JSON: `requests_per_minute`, `tokens_per_minute` and `in_flight` of all workers together, by "
        'provider or `provider:pattern` of its models, as `{"upstage": {"requests_per_minute": 60}}`.',
    )
    provider_failures: int = Field(
        3, gt=0, description="Failures in a row of one provider after which it is left alone for a while."
    )
    provider_pause_s: float = Field(
        10.0, gt=0, description="First pause of a provider that failed; each further one is twice as long."
    )
    provider_longest_pause_s: float = Field(300.0, gt=0, description="Longest pause of a provider that failed.")
    provider_patience_s: float = Field(
        3600.0, gt=0, description="How long a model request waits for a provider that gives nothing, before it fails."
    )
    model_prices: dict[str, dict[str, float]] = Field(
        {},
        description="JSON: `input` and `output` per million tokens, `page` and `request`, by pattern of "
        '`provider:model`, as `{"openai:gpt-5-mini": {"input": 0.25, "output": 2.0}}`.',
    )
    egress: dict[str, dict[str, list[str]]] = Field(
        {},
        description="JSON: the `models` and `hosts` that pages may go to, by tenant or `*`, as "
        '`{"*": {"models": ["upstage"], "hosts": ["api.upstage.ai"]}}`; empty: all.',
    )
    answer_cache_days: float = Field(
        7.0, ge=0, description="Days for which an answer may serve the same request of the same tenant again; 0: never."
    )
    second_opinion: bool = Field(
        False, description="Whether the embedded model is asked about the pages of other models' jobs too."
    )
    max_calls_in_flight: int = Field(200, gt=0, description="Model calls at once in one io process.")

    lease_s: float = Field(15.0, gt=1, description="Seconds after which a silent worker's step goes to another.")
    sweep_s: float = Field(4.0, gt=0, description="Seconds between two rounds of the sweeper.")
    step_attempts: int = Field(4, gt=0, description="Claims of one step before it fails for good.")
    cpu_workers: int = Field(2, gt=0, description="Processes that read, extract offline and merge.")
    io_threads: int = Field(
        8,
        gt=0,
        description="Threads of an io process that begin model calls, and as many that settle them; none waits.",
    )

    dropin_model: str = Field("", description="Model behind `information-extract` on `/v1`; empty: FIELDMARK_MODEL.")
    dropin_waiting: int = Field(200, gt=0, description="Requests on `/v1` that wait at once in one API process.")
    dropin_wait_s: float = Field(
        900.0, gt=0, description="Longest wait of a request on `/v1`; the job goes on, and asking again waits on."
    )
    dropin_grace_s: float = Field(
        120.0, gt=0, description="Seconds after which a job on `/v1` is cancelled when nobody waits for it any more."
    )
    fetch_urls: bool = Field(False, description="Whether files named by https URL on `/v1` are fetched.")
    fetch_hosts: str = Field(
        "", description="Hosts, comma-separated, that are fetched from although their addresses are private."
    )
    fetch_timeout_s: float = Field(30.0, gt=0, description="Longest fetching of one file, redirects included.")

    webhook_hosts: str = Field(
        "",
        description="Hosts, comma-separated, that webhooks go to although their addresses are private; those that mean "
        "this machine by http too.",
    )
    webhook_timeout_s: float = Field(20.0, gt=0, description="Longest wait for a webhook's receiver.")

    picture_cache_bytes: int = Field(500_000_000, gt=0, description="Size of the cache of page pictures.")
    retention_days: int = Field(30, gt=0, description="Days a finished job is kept.")
    api_host: str = Field("127.0.0.1", description="Address the API listens on.")
    api_port: int = Field(8000, ge=0, le=65535, description="Port the API listens on; 0: any free one.")
    review_return_origins: str = Field(
        "", description="Origins, comma-separated, that a signed review link may lead back to after the decision."
    )
    frame_ancestors: str = Field(
        "",
        pattern=r"^[A-Za-z0-9:/.* \[\]_-]*$",
        description="Origins, separated by spaces, whose pages may show the review screen in a frame; empty: none.",
    )
    link_key: SecretStr = Field(
        SecretStr(""),
        description="Secret that signs review links; empty: one in the home, which is enough for one machine.",
    )
    allowed_hosts: str = Field("", description="Further Host names, comma-separated, that the API answers to.")

    api_key: SecretStr = Field(
        SecretStr(""), description="Key that `extract` and `batch` show to a running `serve`; empty: none."
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="Least level that is logged.")

    @property
    def resolved_database_url(self) -> str:
        """The database in force."""
        return self.database_url or f"sqlite:///{(self.home / 'fieldmark.db').resolve()}"
