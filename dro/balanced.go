package dro

import "math"

// balanced weighs each group by its effective number of samples,
// (1 − β^n)/(1 − β): between reweight (β → 1) and ERM (β → 0).
func balanced() Method {
	return Method{
		Name: "balanced",
		Doc: "a sample weighs inversely to the effective number of samples of its group, " +
			"(1 − β^n)/(1 − β)",
		Source: "Cui, Jia, Lin, Song, Belongie 2019 (arXiv 1901.05555), scaled to mean 1 over " +
			"the samples",
		Uses: "groups", GroupsOf: groupsOfTrain,
		Settings: []Setting{{
			Key:     "beta_effective",
			Doc:     "β in the effective number of samples, 0 < β < 1",
			Default: Fixed(.9999),
			Want:    "a number in (0, 1)",
			Check:   func(x float64) bool { return x > 0 && x < 1 },
		}},
		New: func(t Task) (Trainer, error) {
			// 1 − β^n without cancellation. The factor 1 − β is left out, because
			// newGroupSizeWeights scales the weights.
			log := math.Log(t.Number("beta_effective"))
			return newGroupSizeWeights(t.Groups, func(samples float64) float64 {
				return -1 / math.Expm1(samples*log)
			})
		},
	}
}
