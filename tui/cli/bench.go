package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

// How long is spent on AlexNet, and on each further model and input that the
// presets use (three): all of it stays below 30 s.
const (
	benchMain  = 10 * time.Second
	benchOther = 2 * time.Second
)

func (a *app) benchCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "bench", Short: "Measure this machine: time of a step, and of each preset",
		Long: `Measure training steps of AlexNet at batch 128 as a run takes them, input pipeline included, and
estimate what each preset takes. Close other programs first: what they take is counted.`,
		Args: nothing,
		RunE: func(c *cobra.Command, _ []string) error { return a.bench(c.Context(), asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print AlexNet's figures as JSON")
	return c
}

// benchJSON is what bench prints with --json; times are medians.
type benchJSON struct {
	Model           string  `json:"model"`
	Batch           int     `json:"batch"`
	Threads         int     `json:"threads"`
	Kernel          string  `json:"kernel"`
	TrainMS         float64 `json:"train_ms"`
	ForwardMS       float64 `json:"forward_ms"`
	SFKMS           float64 `json:"sfk_ms"`
	PGDMS           float64 `json:"pgd_ms"`
	ImagesPerSecond float64 `json:"images_per_second"`

	GFLOP     float64 `json:"gflop"`       // of real work in a training step: no padding zeros
	GFLOPS    float64 `json:"gflops"`      // a second
	PeakShare float64 `json:"peak_share"`  // in 0..1
	Peak      float64 `json:"peak_gflops"` // a second, of multiply-adds without memory, measured beside the steps
}

func (a *app) bench(ctx context.Context, asJSON bool) error {
	spec := runner.Defaults()
	spec.Model = "alexnet"
	w := &stopwatch{ctx: ctx, threads: a.threads, known: map[workload]runner.StepTimes{}}
	shape := data.Shape{C: 3, H: 32, W: 32}
	t, err := w.measure(&spec, shape, 10, benchMain)
	if err != nil {
		return err
	}
	rate, share := t.Rate()
	if asJSON {
		return printJSON(a.Stdout, benchJSON{spec.Model, spec.Batch, a.threads, nn.Kernel(), ms(t.Train), ms(t.Forward), ms(t.SFK), ms(t.PGD),
			float64(spec.Batch) / t.Train.Seconds(), t.FLOP / 1e9, rate / 1e9, share, t.Peak / 1e9})
	}
	fmt.Fprintf(a.Stdout, "%s, %s, kernel %s: %s, batch %d, medians of %d\n", cpu(), count(a.threads, "thread"), nn.Kernel(), spec.Model, spec.Batch, t.Rounds)
	fmt.Fprintf(a.Stdout, "  train %.1f ms (%.0f images/s)   forward %.1f ms   sfk %.1f ms   pgd %.1f ms\n", ms(t.Train),
		float64(spec.Batch)/t.Train.Seconds(), ms(t.Forward), ms(t.SFK), ms(t.PGD))
	fmt.Fprintf(a.Stdout, "  roofline: %.2f GFLOP of real work a training step, %.3g GFLOP/s: %.0f %% of the measured peak of %.3g\n\n",
		t.FLOP/1e9, rate/1e9, 100*share, t.Peak/1e9)
	fmt.Fprintln(a.Stdout, "Presets, all runs of each on this machine alone:")
	for _, p := range presets.List() {
		d, err := w.preset(&p.Spec)
		if err != nil {
			return fmt.Errorf("preset %s: %w", p.Name, err)
		}
		fmt.Fprintf(a.Stdout, "  %-17s %8s  %s\n", p.Name, kit.Clock(d), a.lacks(p.Spec.Dataset))
	}
	return nil
}

// lacks says how to get a dataset that is not here.
func (a *app) lacks(dataset string) string {
	if e, err := data.Info(dataset, a.data); err == nil && !e.Available {
		return "after drolab data fetch " + dataset
	}
	return ""
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// workload is what the time of a step depends on.
type workload struct {
	model   string
	batch   int
	shape   data.Shape
	classes int
}

// stopwatch measures every workload once.
type stopwatch struct {
	ctx     context.Context
	threads int
	known   map[workload]runner.StepTimes
}

func (w *stopwatch) measure(s *runner.Spec, shape data.Shape, classes int, budget time.Duration) (runner.StepTimes, error) {
	key := workload{s.Model, s.Batch, shape, classes}
	if t, ok := w.known[key]; ok {
		return t, nil
	}
	t, err := runner.MeasureSteps(w.ctx, *s, shape, classes, w.threads, budget)
	if err != nil && errors.Is(err, context.Canceled) {
		err = errors.New("bench was interrupted")
	}
	w.known[key] = t
	return t, err
}

// preset estimates the time of all runs of a spec: its steps, and the forward
// passes of its evaluations over both splits. The certificate at the end of a
// run costs another epoch of ERM.
func (w *stopwatch) preset(s *runner.Spec) (time.Duration, error) {
	d, err := sizesOf(s)
	if err != nil {
		return 0, err
	}
	t, err := w.measure(s, d.shape, d.classes, benchOther)
	if err != nil {
		return 0, err
	}
	perEpoch := float64(d.train / s.Batch)
	evals := 1.0
	if s.EvalEvery > 0 {
		evals = math.Ceil(float64(s.Epochs) / float64(s.EvalEvery))
	}
	seconds := 0.0
	for _, one := range s.Expand() {
		step := t.PGD
		switch one.Algorithm() {
		case dro.ERM:
			step = t.Train
		case dro.SFK:
			step = t.SFK
		}
		seconds += perEpoch*float64(s.Epochs)*step.Seconds() + perEpoch*t.Train.Seconds() +
			evals*float64(d.train+d.test)/float64(s.Batch)*t.Forward.Seconds()
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// sizes are a dataset's measures, which an estimate needs before it is fetched.
type sizes struct {
	shape                data.Shape
	classes, train, test int
}

func sizesOf(s *runner.Spec) (sizes, error) {
	switch s.Dataset {
	case "cifar10":
		return sizes{data.Shape{C: 3, H: 32, W: 32}, 10, kept(s, 50000), 10000}, nil
	case "mnist", "fashion-mnist":
		return sizes{data.Shape{C: 1, H: 28, W: 28}, 10, kept(s, 60000), 10000}, nil
	}
	d, err := data.Open(s.Dataset, s.DataOptions(""))
	if err != nil {
		return sizes{}, err
	}
	defer d.Close()
	return sizes{d.Shape, len(d.Classes), d.Train.Len(), d.Test.Len()}, nil
}

// kept returns how many of n samples imbalance leaves, classes being of about
// the same size.
func kept(s *runner.Spec, n int) int {
	ratios := s.Imbalance.Ratios(s.Dataset)
	if len(ratios) == 0 {
		return n
	}
	sum := 0.0
	for _, r := range ratios {
		sum += r
	}
	return int(float64(n) * sum / float64(len(ratios)))
}
