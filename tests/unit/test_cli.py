import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_output_that_nobody_reads_any_more_is_no_fault(tmp_path: Path) -> None:
    read_fd, write_fd = os.pipe()
    os.close(read_fd)
    done = subprocess.run(
        [sys.executable, "-m", "flows.cli", "diagnose", "-"],
        input=b"epochs,seconds\n100,1\n200,2\n400,4\n",
        stdout=write_fd,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=os.environ | {"XDG_STATE_HOME": str(tmp_path)},
        check=False,
    )
    os.close(write_fd)

    # 128 + SIGPIPE (13), what a shell reports of `yes | head -1`; nothing is said and no log is written.
    assert (done.returncode, done.stderr) == (141, b"")
    assert not list(tmp_path.rglob("error-*"))
