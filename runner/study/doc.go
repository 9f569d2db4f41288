// Package study reads a study: a file that fixes runs, claims and tests before the runs exist. It
// finds the runs of each arm among those that there are, and tells which are missing.
//
//	study.yaml --Parse--> Study --Gather(runs)--> Gathered: the runs of each arm, and the missing
//
// It tests nothing, which runner/report does, and starts nothing, which drolab run does.
//
// Start at study.go for what a study is.
package study
