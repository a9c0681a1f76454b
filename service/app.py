"""The ASGI app: routes, errors, and what goes around both."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import anyio
from anyio import to_thread
from fastapi import APIRouter, FastAPI
from starlette.types import Lifespan

from service.api.context import Context, Places
from service.api.dropin import async_jobs, routes
from service.api.dropin.headers import VendorHeaders
from service.api.faults import install_handlers
from service.api.metrics import Metrics
from service.api.middleware import Envelope
from service.api.payloads.base import API
from service.api.routes import (
    batches,
    corrections,
    events,
    exports,
    files,
    job_actions,
    jobs,
    learned,
    models,
    probes,
    proof,
    provisional,
    retention,
    review,
    schema_reruns,
    schemas,
    webhooks,
)
from service.auth.keys import Authenticator
from service.auth.links import LinkSigner, link_secret
from service.auth.origin import origin_rule
from service.jobs.services import Services
from service.settings import Settings
from service.ui.pages import ui_router
from service.wiring.services import build_services, close_services

_WAITING_THREADS = 8
_DRAWING_THREADS = 4
MOST_WAITING = 500
"""Streams and long polls at once in a process; each asks the database up to twice a second."""
_ROUTERS: tuple[APIRouter, ...] = (
    files.router,
    jobs.router,
    job_actions.router,
    batches.router,
    exports.router,
    corrections.router,
    proof.router,
    review.router,
    events.router,
    learned.router,
    provisional.router,
    models.router,
    schemas.router,
    retention.router,
    schema_reruns.router,
    webhooks.router,
)


def create_app(
    services: Services,
    settings: Settings,
    *,
    lifespan: Lifespan[FastAPI] | None = None,
    most_waiting: int = MOST_WAITING,
) -> FastAPI:
    """The app over services that someone else made.

    Args:
        services: of this process.
        settings: of this process.
        lifespan: starts and closes the services, if nobody else does.
        most_waiting: streams and long polls at once.
    """
    app = FastAPI(
        title="Fieldmark",
        summary="Turns documents into records in which every value carries its page, its box and whether to trust it.",
        version=services.engine,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        openapi_url="/openapi.json",
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    metrics, waiters = Metrics(services), Places(settings.dropin_waiting)
    links = LinkSigner(link_secret(settings.link_key.get_secret_value(), settings.home))
    authenticator = Authenticator(services, links)
    app.state.metrics = metrics
    app.state.context = Context(
        services=services,
        settings=settings,
        authenticator=authenticator,
        waiting=anyio.CapacityLimiter(_WAITING_THREADS),
        drawing=anyio.CapacityLimiter(_DRAWING_THREADS),
        places=Places(most_waiting),
        dropin_places=waiters,
    )
    rule = origin_rule(api_host=settings.api_host, allowed_hosts=settings.allowed_hosts)
    app.add_middleware(Envelope, rule=rule, metrics=metrics)
    app.add_middleware(VendorHeaders, places=waiters, most_pages=settings.max_pages)
    install_handlers(app)
    for router in _ROUTERS:
        app.include_router(router, prefix=API)
    screen = ui_router(authenticator, frame_ancestors=settings.frame_ancestors)
    for router in (routes.router, async_jobs.router, probes.router, screen):
        app.include_router(router)
    return app


def make_routes(app: FastAPI) -> None:
    """Make at once what FastAPI makes of a router when a request first passes it: tenths of a second for all."""
    nowhere = {"type": "http", "method": "GET", "path": "/-", "root_path": "", "headers": [], "query_string": b""}
    for route in app.router.routes:
        route.matches(nowhere)


def open_app(settings: Settings) -> FastAPI:
    """The app of a process that serves the API alone; it makes its services, and closes them at its end."""
    services = build_services(settings, role="api")
    return create_app(services, settings, lifespan=partial(_lifespan, services))


@asynccontextmanager
async def _lifespan(services: Services, _app: FastAPI) -> AsyncGenerator[None]:
    services.keeper.start()
    yield
    await to_thread.run_sync(close_services, services)
