package certificate

import (
	"os"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/data/source"
	"drolab/runner/eventlog"
	"drolab/runner/spec"
)

// The samples that an evaluation names as heaviest are those that a look at its checkpoint finds,
// with the look's ratios.
func TestHeaviestAreTheLooks(t *testing.T) {
	for name, change := range map[string]func(*spec.Spec){
		"shapes":      shapes,
		"csv:example": table,
		"features":    func(s *spec.Spec) { s.Dataset, s.Samples = "spurious", 400 },
		"cifar10": func(s *spec.Spec) {
			s.Dataset, s.Samples, s.Augment = "cifar10", 1000, true
		},
		"CVaR": func(s *spec.Spec) { shapes(s); s.Uncertainty, s.Mu = "cvar", .2 },
	} {
		t.Run(name, func(t *testing.T) {
			if name == "cifar10" {
				testsize.NotShort(t, "reads 184 MB, and the case shapes draws few images")
			}
			e, _ := source.Info(name, os.Getenv("DROLAB_DATA"))
			if e.Name == "cifar10" && !e.Available {
				t.Skip("needs the CIFAR-10 files: set DROLAB_DATA to the folder that has them")
			}
			r := trained(t, func(s *spec.Spec) { change(s); s.Algorithms[0] = dro.PGD })
			l, _ := at(t, r, runner.SplitTrain)
			ratios, _, err := l.Weigh(r.Meta.Spec.Rho)
			if err != nil {
				t.Fatal(err)
			}
			h, err := eventlog.ReadHistory(r.Tail(), func(runner.Event) {})
			if err != nil {
				t.Fatal(err)
			}
			list := h.Evals[len(h.Evals)-1].Heaviest
			if len(list) != runner.MostHeavy {
				t.Fatalf("%d samples are named", len(list))
			}
			for k, i := range l.Order()[:runner.MostHeavy] {
				want := runner.Heavy{Index: i, Ratio: float64(float32(ratios[i])),
					Label: l.Labels[i], Group: l.Groups[i]}
				if list[k] != want {
					t.Errorf("place %d: %+v, want %+v", k, list[k], want)
				}
			}
		})
	}
}
