// Package report makes one page of runs: the paper's Table 1 and Figure 1 from
// them with the paper's numbers beside, accuracy per class, cost, sensitivity,
// and each claim of the paper with a verdict.
//
//	[]*record.Run -> experiments (reading.go)
//	  -> a Problem for each radius (compare.Runs, curve.go, cost.go)
//	  -> claims, tested and corrected together (claim.go)            -> Report
//	  -> variations of one setting (vary.go)
//	Report -> page.Page (page.go), which runner/page writes in its forms
//
// A Report is data, and New pure but for the logs that it reads; its page is text. What the paper
// says, and what it claims, is in paper.go. The statistics are those of runner/compare.
//
// Start reading at report.go. peer/check.py computes the figures again from the
// files of run directories, with NumPy and PyTorch.
package report
