"""The edge of every process of ours: the one place where an error becomes a line and an exit code."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable

from service.cli.exit_codes import EXIT_CODES, ExitCode
from service.cli.session import say
from service.domain.errors import ServiceError


def run_to_end(run: Callable[[], object]) -> None:
    """Run, and end the process with its exit code."""
    try:
        run()
    except ServiceError as error:
        say(f"fieldmark: {error.message} [{error.code}]")
        sys.exit(EXIT_CODES[error.code])
    except SystemExit as end:
        if end.code == ExitCode.INTERRUPTED:
            sys.stdout.flush()
            os._exit(ExitCode.INTERRUPTED)  # Python would wait for a model that still computes in a thread
        raise
    except OSError as error:  # of this machine: a folder that cannot be written to, a full disk
        say(f"fieldmark: {error}")
        sys.exit(ExitCode.INTERNAL)
    except Exception:  # the edge of the process
        logging.getLogger(__name__).exception("an error inside Fieldmark")
        sys.exit(ExitCode.INTERNAL)
