# Tool-info module of Threadwise for BenchExec (3.3 and later).
#
#   benchexec --tool-directory FOLDER contrib/benchexec/threadwise.xml

import benchexec.result as result
import benchexec.tools.template

DATA_MODELS = ("ILP32", "LP64")

MEBIBYTE = 1 << 20

# Threadwise keeps this much below a limit of BenchExec's, so that it can say what it was at before it is ended.
SHARE_OF_TIME = 0.97
SHARE_OF_MEMORY = 0.9

# How a run ends that has no verdict, by exit code.
WITHOUT_VERDICT = {2: "ERROR (bad input)", 5: result.RESULT_UNKNOWN, 6: "ERROR (internal)"}


class Tool(benchexec.tools.template.BaseTool2):
    """Threadwise verifies multithreaded programs: true with a proof, false with a counterexample."""

    # The solver stands beside the program.
    REQUIRED_PATHS = ["solver"]

    def name(self):
        return "Threadwise"

    def executable(self, tool_locator):
        return tool_locator.find_executable("threadwise")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="threadwise")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "check", "--format", "svcomp", "--quiet", *options]
        if task.property_file:
            command += ["--property", task.property_file]
        data_model = (task.options or {}).get("data_model")
        if data_model in DATA_MODELS:
            command += ["--data-model", data_model]
        elif data_model:
            raise benchexec.tools.template.UnsupportedFeatureException(
                f"data model {data_model}: Threadwise knows {' and '.join(DATA_MODELS)}"
            )
        if rlimits.cputime:
            command += ["--cpu-time", str(round(rlimits.cputime * SHARE_OF_TIME, 2))]
        if rlimits.walltime:
            command += ["--timeout", str(round(rlimits.walltime * SHARE_OF_TIME, 2))]
        if rlimits.memory:
            command += ["--memory", str(int(rlimits.memory * SHARE_OF_MEMORY) // MEBIBYTE)]
        return [*command, *task.input_files_or_identifier]

    def determine_result(self, run):
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        for line in run.output:
            verdict = line.strip()
            if verdict == "true":
                return result.RESULT_TRUE_PROP
            if verdict.startswith("false(") and verdict.endswith(")"):
                return verdict
            if verdict == "unknown":
                return result.RESULT_UNKNOWN
        if run.exit_code.signal:
            return f"KILLED BY SIGNAL {run.exit_code.signal}"
        return WITHOUT_VERDICT.get(run.exit_code.value, result.RESULT_ERROR)
