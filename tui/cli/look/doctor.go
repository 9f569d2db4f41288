package look

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drolab/runner/record"
	"drolab/runner/sweep"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func doctorCommand(con *console.Console) *cobra.Command {
	var mend bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check every file of all runs, and report problems",
		Args:  console.None,
		Long: `Check every file of all runs and sweeps: checksums, links, owners and modes, leftovers of
crashes, missing summaries. The catalogue, from which lists are read quickly, is checked
against the runs' files. Runs that are being recorded are left alone.

Nothing changes without --mend, and --mend loses nothing: a file that is in the way is moved to
.set-aside in the runs folder, and so is a copy of every file that is changed. The command
fails while problems remain. What a crash left and a run does not need is named, and is no
problem.

If some run trains a program in Python, a line says which versions its libraries have.`,
		Example: "drolab doctor\ndrolab doctor --mend",
		RunE: func(*cobra.Command, []string) error {
			list, runs, err := record.Examine(con.RunsDir, mend)
			list = append(list, con.Catalogue().Examine(mend)...)
			for _, dir := range sweep.FindUnder(con.RunsDir) {
				more, also := sweep.Examine(dir, mend)
				for _, f := range more {
					f.Run = filepath.Base(dir)
					if filepath.Clean(dir) == filepath.Clean(con.RunsDir) {
						f.Run = ""
					}
				}
				list, err = append(list, more...), errors.Join(err, also)
			}
			if err != nil {
				return err
			}
			err = con.Result(append([]*record.Finding{}, list...), func() {
				printFindings(con, list, runs)
			})
			return errors.Join(err, checkResolved(list))
		},
	}
	c.Flags().BoolVar(&mend, "mend", false, "repair what can be repaired, losing nothing")
	con.JSONFlag(c, "the problems")
	return c
}

// printFindings prints two lines per finding.
func printFindings(con *console.Console, list []*record.Finding, runs int) {
	for _, f := range list {
		where := f.File
		if f.Run != "" {
			where = f.Run + " " + f.File
		}
		con.PrintLine("%s: %s", where, f.What)
		switch {
		case f.Mended:
			con.PrintLine("    mended")
		case f.Failed != "":
			con.PrintLine("    could not be repaired: %s", f.Failed)
		default:
			con.PrintLine("    %s", f.Remedy)
		}
	}
	trained, _ := con.Catalogue().List()
	if slices.ContainsFunc(trained, func(r *record.Run) bool {
		return r.Meta.Program != nil && r.Meta.Program.Interpreter != ""
	}) {
		con.PrintLine("%s", cell.OneLine(describePython()))
	}
	if checkResolved(list) == nil {
		con.PrintLine("No problems found in %s in %s", kit.Plural(runs, "run"), con.RunsDir)
	}
}

// versions is a program in Python that prints which versions are installed. Importing PyTorch would
// take seconds, so that it looks at what the installer has noted.
const versions = `
import importlib.metadata, platform, re
there = {d.name.lower(): d.version for d in importlib.metadata.distributions()}
def version(name):
    return next((v for n, v in there.items() if n == name or n.startswith(name + "-cu")), "none")
try:
    driver = re.search(r"\d+(\.\d+)+", open("/proc/driver/nvidia/version").read()).group()
except (OSError, AttributeError):
    driver = "none"
print(", ".join(["Python " + platform.python_version(), "torch " + version("torch"),
    "CUDA " + version("nvidia-cuda-runtime"), "NCCL " + version("nvidia-nccl"), "driver " + driver]
    + [n + " " + version(n) for n in ("lightning", "transformers", "accelerate") if n in there]))`

// describePython says in one line what programs find in the Python of this shell.
func describePython() string {
	python, err := exec.LookPath("python3")
	if err != nil {
		return "no python3 is in the PATH: programs in Python cannot be trained"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, python, "-c", versions)
	c.Dir = "/" // no file of this folder is taken for a module of Python
	out, err := c.Output()
	if err != nil {
		return fmt.Sprintf("%s does not say its versions: %v", python, err)
	}
	return fmt.Sprintf("%s: %s", python, strings.TrimSpace(string(out)))
}

// checkResolved returns an error if damage remains. What a crash left is none.
func checkResolved(list []*record.Finding) error {
	left := 0
	for _, f := range list {
		if !f.Mended && !f.Leftover {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	return fmt.Errorf("%s left: see drolab doctor --help", kit.Plural(left, "finding"))
}
