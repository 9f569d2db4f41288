package runner

import "fmt"

// noteEmpty warns of classes and groups that nothing is known of: a worst one is
// the worst of the others then.
func (r *run) noteEmpty() {
	p := &r.meta.Parts
	for _, of := range []struct {
		kind   string
		names  []string
		counts Counts
	}{{"class", p.Classes, p.ClassCounts}, {"group", p.Groups, p.GroupCounts}} {
		for i, name := range of.names {
			if i < len(of.counts.Train) && of.counts.Train[i] == 0 {
				r.warnOnce(fmt.Sprintf("%s %s has no training samples: nothing is learned of it", of.kind, name))
			}
			if i < len(of.counts.Test) && of.counts.Test[i] == 0 {
				r.warnOnce(fmt.Sprintf("%s %s has no test samples: its accuracy does not apply, "+
					"and the worst %s is the worst of the others", of.kind, name, of.kind))
			}
		}
	}
}
