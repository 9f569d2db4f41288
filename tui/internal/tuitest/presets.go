package tuitest

import (
	"strings"

	"drolab/presets"
	"drolab/runner"
	"drolab/runner/spec"
)

// Presets returns presets that stand in for the embedded ones, because the tests of the screens are
// not about the wording and settings of the embedded presets.
func Presets() []presets.Preset {
	preset := func(name, doc string, reasons map[string]string,
		assignments ...string) presets.Preset {
		p := presets.Preset{Preset: runner.Preset{Name: name, Doc: doc, Spec: spec.Defaults(),
			Reasons: reasons}}
		for _, a := range assignments {
			if err := presets.Set(&p.Spec, a); err != nil {
				panic("a preset of the tests is broken")
			}
			key, _, _ := strings.Cut(a, "=")
			p.Overrides = append(p.Overrides, key)
		}
		return p
	}
	return []presets.Preset{
		preset("shapes", "all four methods on drawn images, nothing to download; about a minute",
			map[string]string{
				"algorithms": "the comparison of the paper's Table 1",
				"seeds":      "fine for a look; use 4 or more for a claim",
				"rho": "at 0.5 the adversary's few samples of a batch are all noise " +
					"for the first epochs",
				"epochs": "several evaluations to watch"},
			"algorithms=[sfk, pgd, pan, erm]", "seeds=1", "rho=0.2", "epochs=8"),
		preset("race", "SFK-DRO against PGD on the same objective, data and seed", nil,
			"algorithms=[sfk, pgd]"),
		preset("paper", "the paper's experiment: imbalanced CIFAR-10, AlexNet; hours",
			map[string]string{
				"rho":     "the only ρ for which the paper's formulas give its printed box",
				"dataset": "50 000 photographs of ten classes"},
			"dataset=cifar10", "model=alexnet", "rho=1.5", "lambda_max=10", "eta_min=-10",
			"mean=[0.4914, 0.4822, 0.4465]", "std=[0.247, 0.2435, 0.2616]"),
		preset("csv", "a table with a group column", nil, "dataset=csv:example", "model=mlp",
			"imbalance=none", "augment=false"),
	}
}
