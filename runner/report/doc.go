// Package report makes one page of a study and its runs: each claim with a verdict and, beside
// them, tables and figures, accuracy per class, cost and sensitivity.
//
//	Study, []*record.Run -> the runs of each arm (Study.Gather)
//	  -> a Problem for each condition, with further arms
//	  -> what claims compare, tested and corrected by family -> Report
//	  -> means, or variations of one setting
//	Report -> page.Page, which runner/page writes
//
// A Report is data and its page is text. New is pure but for the logs that it reads. The page of a
// registered study has its tests and means alone. Runs that belong to no study are described
// without claims. The statistics are computed by runner/compare, and nothing here trains. What a
// report says of a published experiment comes from a Publication, which package paper has.
//
// Start reading at report.go. peer/check.py computes the figures again from the files of run
// directories, with NumPy and PyTorch, and peer/tests.py the tests of claims with SciPy.
//
// # A study
//
// A Study is a file that fixes runs, claims and tests before the runs exist.
//
//	study.yaml --ParseStudy--> Study --Gather(runs)--> Gathered: the runs of each arm,
//	                                                   and the missing ones
//
// # Files
//
//	report.go       Report and Options; conditions, arms, curves, notes on runs that are left out,
//	                the machines that made the runs
//	study.go        what a study's file fixes: conditions, arms, families, claims, reproduction,
//	                published table, sensitivity
//	studyfile.go    reads that file: keys, presets of arms, errors with their lines
//	gather.go       the runs of each arm by settings, seed and data; missing seeds
//	furtherarms.go  further arms: other runs with the settings of a condition; runs of no study
//	seal.go         claims sealed with runs, by hash: sealed before, later, other claims; drolab
//	                report's check
//
//	statistic.go   what a claim compares: class or worst accuracy, risk, train risk; last iterate,
//	               window or along the run; why a test lacks
//	difference.go  the difference of two arms over common seeds: interval, p, least difference
//	               found
//	claim.go       the tests of claims: two-sided t tests, equivalence, corrections by family,
//	               verdicts, further arms, comparison with published numbers
//	means.go       means by arm at the last iterate, without tests
//	classes.go     the difference to the baseline, class by class
//	cost.go        time of training, and of a step in pairs of runs
//	vary.go        sensitivity: arms that differ in one setting or two, and the missing ones
//	publication.go what a publication adds to a report: printed figures, departures, readings
//
//	page.go       the page from top to bottom: state, claims, later families, tables and figures,
//	              notes
//	sections.go   its sections: classes, cost, sensitivity, what made the runs
//	testtable.go  tables of tests: families, corrections, verdicts, repeated tests (¹ ²)
//	table.go      the tables of a condition: arms, baseline, stars
//	format.go     numbers, ratios, probabilities and lists of seeds in words
//	passage.go    passages of a report in a Markdown file, between their marks (drolab report
//	              --into)
//	log.go        a run's evaluations, steps and time from its log
package report
