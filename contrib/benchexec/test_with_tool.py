"""Runs the tool-info module as BenchExec would, on the programs in smoketest/, and looks at what it makes of their output.

  python3 test_with_tool.py FOLDER     the folder has the program `threadwise` in it
"""

import glob
import os
import subprocess
import sys

import yaml
from benchexec import util
from benchexec.tools.template import BaseTool2
from benchexec.tools.threadwise import Tool

HERE = os.path.dirname(os.path.abspath(__file__))

# What Threadwise prints and how it ends, and what BenchExec is to make of it.
OUTPUTS = [
    (["true\n"], 0, "true"),
    (["false(no-data-race)\n"], 10, "false(no-data-race)"),
    (["false(valid-deref)\n"], 10, "false(valid-deref)"),
    (["unknown\n"], 5, "unknown"),
    ([], 5, "unknown"),
    ([], 2, "ERROR (bad input)"),
    ([], 6, "ERROR (internal)"),
    (["truth is not told\n"], 6, "ERROR (internal)"),
]


def result_of(tool, command, code, lines):
    exit_code = util.ProcessExitCode.create(value=code)
    return tool.determine_result(BaseTool2.Run(command, exit_code, BaseTool2.RunOutput(lines), None))


def check_outputs(tool):
    for lines, code, expected in OUTPUTS:
        got = result_of(tool, ["threadwise"], code, lines)
        assert got == expected, f"{lines} and exit code {code}: {got}, expected {expected}"


def check_limits(tool):
    limits = BaseTool2.ResourceLimits(cputime=900, memory=15_000_000_000)
    task = BaseTool2.Task.with_files(["p.i"], property_file="p.prp", options={"data_model": "ILP32"})
    command = tool.cmdline("threadwise", ["--witness", "w.yml"], task, limits)
    assert command[-1] == "p.i" and command[command.index("--data-model") + 1] == "ILP32", command
    assert 800 <= float(command[command.index("--cpu-time") + 1]) < 900, command
    assert 12_000 <= int(command[command.index("--memory") + 1]) < 15_000_000_000 >> 20, command


def check_task(tool, executable, path):
    with open(path) as file:
        task = yaml.safe_load(file)
    folder = os.path.dirname(path)
    asked = task["properties"][0]
    files = [os.path.join(folder, task["input_files"])]
    property_file = os.path.join(folder, asked["property_file"])
    given = BaseTool2.Task.with_files(files, property_file=property_file, options=task["options"])
    command = tool.cmdline(executable, [], given, BaseTool2.ResourceLimits(cputime=60, memory=4_000_000_000))
    run = subprocess.run(command, capture_output=True, text=True)
    got = result_of(tool, command, run.returncode, run.stdout.splitlines(keepends=True))
    expected = "true" if asked["expected_verdict"] else "false(no-data-race)"
    assert got == expected, f"{path}: {got}, expected {expected}; {run.stderr}"


def main():
    tool = Tool()
    executable = os.path.join(sys.argv[1], "threadwise")
    assert tool.version(executable)[0].isdigit(), tool.version(executable)
    check_outputs(tool)
    check_limits(tool)
    tasks = sorted(glob.glob(os.path.join(HERE, "smoketest", "*.yml")))
    assert len(tasks) >= 2, tasks
    for path in tasks:
        check_task(tool, executable, path)
    print(f"benchexec: {len(OUTPUTS)} outputs and {len(tasks)} tasks are understood")


main()
