package dro

import "fmt"

// reweight gives every group the same total weight: a sample of group g weighs N/(G n_g), where G
// is the number of groups that have samples. Where no groups are given, the classes are the groups.
func reweight() Method {
	return Method{
		Name:   "reweight",
		Doc:    "every group weighs the same: samples weigh inversely to their group's size",
		Source: "inverse frequency, as in every survey of imbalanced learning",
		Uses:   "groups", GroupsOf: groupsOfTrain,
		New: func(t Task) (Trainer, error) {
			return newGroupSizeWeights(t.Groups, func(samples float64) float64 {
				return 1 / samples
			})
		},
	}
}

// groupSizeWeights weighs a sample by its group alone.
type groupSizeWeights struct {
	Base
	weight []float64
}

// newGroupSizeWeights returns weights that are proportional to weigh(n) for a group of n samples
// and have mean 1 over the training samples.
func newGroupSizeWeights(
	groups []int, weigh func(samples float64) float64,
) (*groupSizeWeights, error) {
	p := &groupSizeWeights{weight: make([]float64, len(groups))}
	var sum, n float64
	for g, count := range groups {
		if count > 0 {
			p.weight[g] = weigh(float64(count))
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
func (p *groupSizeWeights) Weights(w []float64, b Batch) {
	for i, g := range b.Groups {
		w[i] = p.weight[g]
	}
}

// Form implements Trainer.
func (p *groupSizeWeights) Form(into []float64) Form {
	return Form{Kind: FormByGroup, Numbers: append(into, p.weight...)}
}
