package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/presets"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/lists"
	"drolab/runner/spec"
	"drolab/runner/train"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

// benchMain is the time spent on AlexNet, and estimate the time on each further model and input
// that the presets use (three) or that a study lacks. Medians of a few rounds are enough there.
// Together they stay below 30 s, since a round may take longer than the time.
const (
	benchMain     = 10 * time.Second
	benchModel    = 2 * time.Second // on a model named by --model
	benchEstimate = 300 * time.Millisecond
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
	return printPresets(ctx, con, w, &asked)
}

// printSteps prints the times of steps, and their share of the measured peak.
func printSteps(con *Console, s *spec.Spec, t *train.StepTimes) {
	rate, share := t.Rate()
	fmt.Fprintf(con.Stdout, "%s, %s, kernel %s: %s, batch %d, medians of %d\n", CPU(),
		kit.Plural(con.Threads, "thread"), nn.Kernel(s.Precision), s.Model, s.Batch,
		t.Rounds)
	fmt.Fprintf(con.Stdout, "  train %.1f ms (%.0f samples/s of a step alone)   forward %.1f ms",
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
func printPresets(ctx context.Context, con *Console, w *Stopwatch, asked *spec.Spec) error {
	fmt.Fprintln(con.Stdout, "Presets, with all their runs, if this machine does nothing else:")
	for _, p := range presets.List() {
		p.Spec.Precision, p.Spec.Convolution = asked.Precision, asked.Convolution
		sizes, err := source.SizesOf(ctx, p.Spec.Dataset, p.Spec.DataOptions(con.DataDir))
		if missing, ok := errors.AsType[*data.MissingError](err); ok {
			fmt.Fprintf(con.Stdout, "  %-17s %8s  not here: %s\n", p.Name, "", missing.Remedy)
			continue
		}
		if err != nil {
			return fmt.Errorf("preset %s: %w", p.Name, err)
		}
		seconds, err := w.Seconds(&p.Spec, sizes, p.Spec.Expand())
		if err != nil {
			return fmt.Errorf("preset %s: %w", p.Name, err)
		}
		d := time.Duration(seconds * float64(time.Second))
		fmt.Fprintf(con.Stdout, "  %-17s %8s  %s\n", p.Name, kit.Duration(d),
			downloadHint(con, p.Spec.Dataset))
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
	all["layers"] = lists.Map(t.Layers, func(l nn.LayerTime) map[string]any {
		return map[string]any{"name": l.Name, "ms": ms(l.Time), "gflop": l.FLOP / 1e9,
			"peak_share": layerShare(t, l)}
	})
	for m, took := range t.Steps {
		all[string(m)+"_ms"] = ms(took)
	}
	return all
}

// downloadHint says how to get a dataset that is not here.
func downloadHint(con *Console, dataset string) string {
	if e, err := source.Info(dataset, con.DataDir); err == nil && !e.Available {
		return "after drolab data fetch " + dataset
	}
	return ""
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
