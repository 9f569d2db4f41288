package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/machine"
	"drolab/runner/spec"
	"drolab/runner/train"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

// benchMain is the time spent on AlexNet, and estimate the time on each further model and input
// that the presets use (three) or that a study lacks. Medians of a few rounds are enough there.
// Together they stay below 30 s, since a round may take longer than the time.
const (
	benchMain  = 10 * time.Second
	benchModel = 2 * time.Second // on a model named by --model
	estimate   = 300 * time.Millisecond
)

func benchCommand(con *Console) *cobra.Command {
	asked, model := spec.Defaults(), ""
	c := &cobra.Command{
		Use: "bench", Short: "Measure this machine: the time of a step and of each preset",
		Long: `Measure training steps of AlexNet at batch 128 as in a run, input pipeline included, and
estimate the time of each preset. Close other programs first, because they slow the steps down.
With --precision bf16, the operands of training steps are rounded to bfloat16, as with the
setting precision. --convolution says how 3×3 convolutions are computed, as the setting convolution
does. With --model NAME, measure that model on images of 3×32×32 instead: the time of each layer,
and its share of the measured peak. Shares count the operations of direct convolutions, so with
winograd they can exceed 100 %.`,
		Args: None,
		RunE: func(c *cobra.Command, _ []string) error {
			return bench(c.Context(), con, model, asked)
		},
	}
	c.Flags().StringVar(&asked.Precision, "precision", asked.Precision,
		"precision of the operands of products: fp32 or bf16")
	c.Flags().StringVar(&asked.Convolution, "convolution", asked.Convolution,
		"how 3×3 convolutions are computed: auto, direct or winograd")
	c.Flags().StringVar(&model, "model", "",
		"measure this model alone, layer by layer: "+strings.Join(nn.Models(), ", "))
	con.JSONFlag(c, "the model's figures")
	return c
}

func bench(ctx context.Context, con *Console, model string, s spec.Spec) error {
	if model != "" && !nn.Known(model) {
		return fmt.Errorf("model: %.40q: bench measures %s", model, strings.Join(nn.Models(), ", "))
	}
	s.Model = cmp.Or(model, "alexnet")
	budget := benchMain
	if model != "" { // a network for each method would not fit the time, or the memory
		s.Algorithms, budget = []dro.Algorithm{dro.SFK}, benchModel
	}
	if err := s.Validate(); err != nil {
		return err
	}
	asked := s
	s.SettleConvolution()
	w := NewStopwatch(ctx, con.Threads)
	shape := data.Shape{C: 3, H: 32, W: 32}
	t, err := w.measure(&s, shape, 10, budget)
	if err != nil {
		return err
	}
	if con.AsJSON {
		return con.JSON(benchJSON(con, &s, &t))
	}
	printSteps(con, &s, &t)
	if model != "" {
		printLayers(con, &t)
		return nil
	}
	return printPresets(con, w, &asked)
}

// printSteps prints the times of steps, and their share of the measured peak.
func printSteps(con *Console, s *spec.Spec, t *train.StepTimes) {
	rate, share := t.Rate()
	fmt.Fprintf(con.Stdout, "%s, %s, kernel %s: %s, batch %d, medians of %d\n", CPU(),
		kit.Plural(con.Threads, "thread"), nn.Kernel(s.Precision), s.Model, s.Batch,
		t.Rounds)
	fmt.Fprintf(con.Stdout, "  train %.1f ms (%.0f samples/s)   forward %.1f ms",
		ms(t.Train), float64(s.Batch)/t.Train.Seconds(), ms(t.Forward))
	for _, m := range s.Algorithms {
		if m != dro.Baseline() {
			fmt.Fprintf(con.Stdout, "   %s %.1f ms", m, ms(t.Steps[m]))
		}
	}
	fmt.Fprintln(con.Stdout)
	fmt.Fprintf(con.Stdout, "  roofline: %.2f GFLOP of real work per training step, %.3g "+
		"GFLOP/s: %.0f %% of the measured peak of %.3g\n\n", t.FLOP/1e9, rate/1e9, 100*share,
		t.Peak/1e9)
}

// printLayers prints the time of each layer.
func printLayers(con *Console, t *train.StepTimes) {
	fmt.Fprintf(con.Stdout, "%-20s %9s %9s  %s\n", "layer", "ms", "GFLOP", "share of the peak")
	for _, l := range t.Layers {
		fmt.Fprintf(con.Stdout, "%-20s %9.3f", l.Name, ms(l.Time))
		if l.FLOP > 0 {
			fmt.Fprintf(con.Stdout, " %9.3f  %3.0f %%", l.FLOP/1e9, 100*layerShare(t, l))
		}
		fmt.Fprintln(con.Stdout)
	}
}

// layerShare returns the speed of a layer as a share of the measured peak, in 0..1.
func layerShare(t *train.StepTimes, l nn.LayerTime) float64 {
	return l.FLOP / max(l.Time.Seconds(), 1e-9) / t.Peak
}

// printPresets prints estimates for the runs of each preset.
func printPresets(con *Console, w *Stopwatch, asked *spec.Spec) error {
	fmt.Fprintln(con.Stdout, "Presets, with all their runs, if this machine does nothing else:")
	for _, p := range presets.List() {
		p.Spec.Precision, p.Spec.Convolution = asked.Precision, asked.Convolution
		sizes, err := source.SizesOf(p.Spec.Dataset, p.Spec.DataOptions(con.DataDir))
		if err != nil {
			return fmt.Errorf("preset %s: %w", p.Name, err)
		}
		seconds, err := w.Seconds(&p.Spec, sizes, p.Spec.Expand())
		if err != nil {
			return fmt.Errorf("preset %s: %w", p.Name, err)
		}
		d := time.Duration(seconds * float64(time.Second))
		fmt.Fprintf(con.Stdout, "  %-17s %8s  %s\n", p.Name, kit.Clock(d),
			lacks(con, p.Spec.Dataset))
	}
	return nil
}

// benchJSON returns what bench prints with --json; times are medians. The key of a method's step
// begins with the name of the method.
func benchJSON(con *Console, s *spec.Spec, t *train.StepTimes) map[string]any {
	rate, share := t.Rate()
	all := map[string]any{
		"model":             s.Model,
		"batch":             s.Batch,
		"threads":           con.Threads,
		"precision":         s.Precision,
		"convolution":       s.Convolution,
		"kernel":            nn.Kernel(s.Precision),
		"train_ms":          ms(t.Train),
		"forward_ms":        ms(t.Forward),
		"train_best_ms":     ms(t.Best), // the fastest one
		"images_per_second": float64(s.Batch) / t.Train.Seconds(),
		"gflop":             t.FLOP / 1e9, // of real work in a training step: no padding zeros
		"gflops":            rate / 1e9,   // per second
		"peak_share":        share,        // in 0..1
		// per second, of multiply-adds without memory access, measured beside the steps
		"peak_gflops": t.Peak / 1e9,
	}
	all["layers"] = kit.Map(t.Layers, func(l nn.LayerTime) map[string]any {
		return map[string]any{"name": l.Name, "ms": ms(l.Time), "gflop": l.FLOP / 1e9,
			"peak_share": layerShare(t, l)}
	})
	for m, took := range t.Steps {
		all[string(m)+"_ms"] = ms(took)
	}
	return all
}

// lacks says how to get a dataset that is not here.
func lacks(con *Console, dataset string) string {
	if e, err := source.Info(dataset, con.DataDir); err == nil && !e.Available {
		return "after drolab data fetch " + dataset
	}
	return ""
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Stopwatch measures steps once of each kind.
type Stopwatch struct {
	ctx     context.Context
	threads int
	known   map[string]train.StepTimes // by everything that the time of a step depends on
}

// NewStopwatch returns a Stopwatch that measures until ctx is cancelled.
func NewStopwatch(ctx context.Context, threads int) *Stopwatch {
	return &Stopwatch{ctx, threads, map[string]train.StepTimes{}}
}

func (w *Stopwatch) measure(
	s *spec.Spec, shape data.Shape, classes int, budget time.Duration,
) (train.StepTimes, error) {
	key := fmt.Sprintln(s.Model, s.Precision, s.Convolution, s.Batch, shape, classes)
	if t, ok := w.known[key]; ok {
		return t, nil
	}
	t, err := train.MeasureSteps(w.ctx, *s, shape, classes, w.threads, budget)
	switch {
	case err == nil:
		w.known[key] = t
	case errors.Is(err, context.Canceled):
		err = errors.New("bench was interrupted")
	}
	return t, err
}

// Seconds estimates the time of runs on data of some sizes from the steps of all methods of s.
func (w *Stopwatch) Seconds(s *spec.Spec, n data.Sizes, runs []spec.Spec) (float64, error) {
	t, err := w.measure(s, n.Shape, n.Classes, estimate)
	if err != nil {
		return 0, err
	}
	return t.Pace(s.Batch).Seconds(runs, float64(n.Train), float64(n.Test)), nil
}

// Host returns the description of the program and the machine. It may read the whole program (see
// Version), so an interface asks for it only when it needs it, not before its first frame.
func Host() runner.Host {
	return runner.Host{Version: Version(), Go: runtime.Version(),
		System: runtime.GOOS + "/" + runtime.GOARCH, CPU: CPU(), Kernel: nn.Kernel("")}
}

// CollectEarly makes the process collect its garbage early. Its memory is networks and images,
// which stay and hold no pointers, so collecting costs next to nothing. Go's default, as much
// garbage again, would be hundreds of megabytes.
func CollectEarly() { collect(10) }

// YieldToRuns sets up the process of an interface whose runs are in another process. It takes at
// most one core from them, which is many times what it needs: with more, each tick wakes threads
// that only look for work. It holds a few megabytes, and collects garbage twice as often as Go's
// default. Collecting less often would gain no time that a user would see, and dozens of logs that
// are read would leave three times as much in memory as is drawn of them.
func YieldToRuns() {
	runtime.GOMAXPROCS(1)
	collect(50)
}

// collect sets how much garbage makes the collector run, in percent of the memory in use, unless
// GOGC or a test has chosen another percentage than Go's 100. It does so after the start, which
// leaves some megabytes of garbage: an interface collected them six times before its first frame.
func collect(percent int) {
	time.AfterFunc(300*time.Millisecond, func() {
		if chosen := debug.SetGCPercent(percent); chosen != 100 {
			debug.SetGCPercent(chosen)
		}
	})
}

// Version returns the revision of the code. If the tree was dirty or, as with go run, the program
// has no revision, the checksum of the program says which code it is: equal versions mean the same
// program.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionOf(info, checksum)
}

func versionOf(info *debug.BuildInfo, checksum func() string) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	revision = revision[:min(12, len(revision))]
	switch {
	case revision == "":
		return strings.TrimSpace(info.Main.Version + " " + checksum())
	case settings["vcs.modified"] == "true":
		return revision + "+changes " + checksum()
	}
	return revision
}

// castagnoli is the polynomial that processors have an instruction for. The program has tens of
// megabytes, and every command that starts a run waits for their checksum.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum returns the CRC-32C of the running program. If the file cannot be read, it returns the
// size and the time of the file.
var checksum = sync.OnceValue(func() string {
	path := "/proc/self/exe" // the running program, even if its file has been replaced
	if _, err := os.Stat(path); err != nil {
		if path, err = os.Executable(); err != nil {
			return "unknown"
		}
	}
	sum, err := sumOf(path)
	if err == nil {
		return sum
	}
	info, err := os.Stat(path)
	if err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))
})

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := crc32.New(castagnoli)
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("crc32c:%08x", h.Sum32()), nil
}

// CPU returns the name of the processor, or its architecture if the name is unknown.
func CPU() string { return cmp.Or(Clean(machine.Processor()), runtime.GOARCH) }

// Commands returns the commands about the machine.
func Commands(con *Console) []*cobra.Command {
	return []*cobra.Command{benchCommand(con), versionCommand(con)}
}

func versionCommand(con *Console) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version, the machine and the kernels in use",
		Args: None,
		RunE: func(*cobra.Command, []string) error {
			h := Host()
			_, err := fmt.Fprintf(con.Stdout, "drolab %s\n%s, %s, %s, kernel %s, %s\n",
				h.Version, h.Go, h.System, h.CPU, h.Kernel, kit.Plural(con.Threads, "thread"))
			return err
		},
	}
}
