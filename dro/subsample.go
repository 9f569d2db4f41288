package dro

// subsample is ERM on a training split in which every group is cut to the size of the
// smallest, anew in each pass through it. Where no groups are given, the classes are the
// groups.
func subsample() Method {
	m := erm()
	m.Name, m.Baseline, m.Subsamples = "subsample", false, true
	m.Doc = "cuts every group to the size of the smallest, anew in each pass"
	m.Source = "Idrissi, Arjovsky, Pezeshki, Lopez-Paz 2022 (arXiv 2110.14503), SUBG; the source " +
		"cuts once"
	m.Uses, m.GroupsOf = "groups", groupsOfTrain
	return m
}
