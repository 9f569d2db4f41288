package dro

import (
	"fmt"
	"math"
)

// reweight weighs each group alike: its samples count N/(G n_g), G being the
// number of groups that have samples. Where no groups are given, the classes are
// the groups.
func reweight() Method {
	return Method{
		Name: "reweight", Doc: "every group weighs the same: its samples count inversely to their number",
		Source: "inverse frequency, as in every survey of imbalanced learning", Uses: "groups",
		New: func(t Task) (Trainer, error) {
			return newPerGroup(t.Groups, func(samples float64) float64 { return 1 / samples })
		},
	}
}

// balanced weighs each group by its effective number of samples,
// (1 − β^n)/(1 − β): between reweight (β → 1) and ERM (β → 0).
func balanced() Method {
	return Method{
		Name: "balanced", Doc: "groups weigh by their effective number of samples, (1 − β^n)/(1 − β)",
		Source: "Cui, Jia, Lin, Song, Belongie 2019 (arXiv 1901.05555), scaled to mean 1 over the samples",
		Uses:   "groups",
		Settings: []Setting{{Key: "beta_effective", Doc: "β of the effective number of samples, 0 < β < 1",
			Default: Fixed(.9999), Want: "a number in (0, 1)",
			Check: func(x float64) bool { return x > 0 && x < 1 }}},
		New: func(t Task) (Trainer, error) {
			// 1 − β^n without cancellation; the factor 1 − β is lost in the scale.
			log := math.Log(t.Number("beta_effective"))
			return newPerGroup(t.Groups, func(samples float64) float64 { return -1 / math.Expm1(samples*log) })
		},
	}
}

// perGroup weighs a sample by its group alone.
type perGroup struct {
	Base
	weight []float64
}

// newPerGroup makes the weights that are proportional to of(samples) of a group
// and have mean 1 over the training samples.
func newPerGroup(groups []int, of func(samples float64) float64) (*perGroup, error) {
	p := &perGroup{weight: make([]float64, len(groups))}
	var sum, n float64
	for g, count := range groups {
		if count > 0 {
			p.weight[g] = of(float64(count))
			sum += p.weight[g] * float64(count)
			n += float64(count)
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("the data have no groups")
	}
	for g := range p.weight {
		p.weight[g] *= n / sum
	}
	return p, nil
}

// Weights implements Trainer.
func (p *perGroup) Weights(w []float64, b Batch) {
	for i, g := range b.Groups {
		w[i] = p.weight[g]
	}
}
