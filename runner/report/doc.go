// Package report makes one page from runs: the paper's Table 1 and Figure 1 with the paper's
// numbers beside them, accuracy per class, cost, sensitivity, and each claim of the paper with a
// verdict.
//
//	[]*record.Run -> experiments (reading.go)
//	  -> a Problem for each radius (compare.Runs, curve.go, cost.go)
//	  -> claims, tested and corrected together (claim.go)            -> Report
//	  -> variations of one setting (vary.go)
//	  or, of the registered runs, their tests and means (registered.go, means.go) -> Registered
//	Report, Registered -> page.Page (page.go, registeredpage.go), which runner/page writes
//
// A Report is data and its page is text. New is pure but for the logs that it reads. The paper's
// numbers and claims are in paper.go. The statistics are computed by runner/compare.
//
// Start reading at report.go. peer/check.py computes the figures again from the files of run
// directories, with NumPy and PyTorch.
package report
