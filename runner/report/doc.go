// Package report makes one page of a study and its runs: each claim with a verdict and, beside
// them, a published table and figure, accuracy per class, cost and sensitivity.
//
//	Study, []*record.Run -> the runs of each arm (Study.Gather)
//	  -> a Problem for each condition (report.go), with further arms (experiment.go)
//	  -> what claims compare (statistic.go), tested and corrected by family (claim.go) -> Report
//	  -> means (means.go), or variations of one setting (vary.go)
//	Report -> page.Page (page.go, sections.go, testtable.go), which runner/page writes
//
// A Report is data and its page is text. New is pure but for the logs that it reads. The page of a
// registered study has its tests and means alone. Runs that belong to no study are described
// without claims. The statistics are computed by runner/compare, and nothing here trains.
//
// Start reading at report.go. peer/check.py computes the figures again from the files of run
// directories, with NumPy and PyTorch, and peer/tests.py the tests of claims with SciPy.
//
// # A study
//
// A Study (study.go) is a file that fixes runs, claims and tests before the runs exist.
// studyfile.go reads that file.
//
//	study.yaml --ParseStudy--> Study --Gather(runs)--> Gathered: the runs of each arm,
//	                                                   and the missing ones
package report
