"""The result of a job as a file for other programs."""

from __future__ import annotations

from service.domain.jobs import Job
from service.exports.files import ExportFile, export_result
from service.exports.formats import ExportFormat, ExportOptions
from service.exports.schema_set import SchemaSet
from service.jobs.results.current import Version
from service.jobs.results.result import View, result_body
from service.jobs.services import Services


def export_job(
    services: Services, job: Job, options: ExportOptions, *, view: View = "full", version: Version = "current"
) -> ExportFile:
    """The result as a file; `view=values` tells no confidence and no places.

    Raises:
        StateError: `not_finished`; `wrong_state` when nothing is approved and the approved version is asked for.
        InputError: there is no such table, or a library is missing.
    """
    is_whole = options.table is None and options.format in (ExportFormat.JSON, ExportFormat.JSONL)
    needed: View = "compact" if view == "full" and not is_whole else view  # tables have no boxes of words
    result = result_body(services, job, view=needed, version=version)
    return export_result(result, schema_set(job), options)


def schema_set(job: Job) -> SchemaSet:
    """The schemas that records of a job may have."""
    if not job.is_routed:
        return SchemaSet.one(job.schemas[0].parse())
    return SchemaSet.routed([(schema.name, schema.version, schema.parse()) for schema in job.schemas])
