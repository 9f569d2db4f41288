// Package paper compares the runs of a study with the published experiment that the study repeats:
// the printed figures beside the runs' own, the settings that are not the paper's, and the readings
// of what the paper leaves open. It is no part of a study without a published table, and it judges
// no claim.
//
//	report.Study with a published table --Of--> report.Publication --> report.Options
//
// Package report asks it, and does not know it: a command that makes a report hands it over.
//
// # Files
//
//	paper.go       the published experiment of a study, and its printed figures
//	departures.go  settings that differ from the paper's, or that it does not give, with the
//	               preset's reasons
//	readings.go    readings of the experiment, and which comes nearest to the published table
package paper
