// Package measure is the table of the measures of steps and evaluations. Each row has a name, a
// definition and the computation from a pass over a split. The package computes and reads
// numbers; it runs no network and keeps no file.
//
// Sums are in float64 and in the order of the samples, so that a measure is the same to the bit
// each time that it is computed.
//
// Start at Measure in measure.go; the table is in table.go, its rows are in rows.go and
// decision.go. Most rows of steps belong to the methods of package dro.
//
// # The data's own checks
//
// Data mislead where a column gives the label away or names the row, where a column occurs twice,
// or where test rows also occur in training. The checks are a table (datachecks.go); to add a check
// is to add a row.
//
//	a Dataset, with the sample of rows that its reader took -> checks -> [DataWarning]s
//
// All checks together look at no more than a sample of rows, so they take a fraction of a second
// for any table. They change nothing.
//
// # Files
//
//	measure.go     Measure, a row of the table; the settings of a run that measures depend on; which
//	               runs have a measure (CanApply); rows of the validation split (val_)
//	table.go       the table: measures by name and in lists, the measures of the setting select,
//	               measures of other packages (RegisterMeasure)
//	rows.go        the rows: loss and grad_norm of steps; accuracies, losses, robust_risk,
//	               class_weight and group_ratio, dual_gap and other measures of F, excess_risk,
//	               output_dual_gap
//	decision.go    the rows of decisions: auroc, average_precision, macro_f1, threshold; and of
//	               fairness: demographic_parity, equalised_odds, equal_opportunity, rates of
//	               groups
//	histogram.go   the row ratio_histogram
//	uservalues.go  user.NAME: values of a program's own, their better side and their limits
//
//	evaluation.go  Evaluation, what the rows are computed from: worst class and group (min_group),
//	               F at z, gaps, optimum
//	pass.go        Pass, a split's losses and predictions; accuracy, calibration_error, worst case
//	               at ρ and at risk_radii
//	curves.go      areas under the ROC and precision-recall curves (Fawcett 2006)
//	wilson.go      95 % intervals of accuracies (Wilson 1927)
//	bootstrap.go   95 % intervals of any measure of the test split, by resampling (Efron,
//	               Tibshirani; drolab eval)
//	warn.go        warnings of an evaluation: losses above eta_max, a worst case that rests on few
//	               samples, a box that excludes the optimum, λ at lambda0. Class sizes are checks
//	               of data (splitchecks.go)
//
//	parts.go   classes and groups with their counts in each split (class_counts, group_counts)
//	number.go  Number, a float64 that survives JSON: null, "NaN"; the worst and the best of some
//	values.go  Values and Lists: numbers by name
//	fields.go  fast reading of JSON objects with measures
//
//	datachecks.go   the checks of data as a table, with the words of their warnings (drolab data
//	                show); add one here
//	columns.go      checks of columns: identifier, spelling, code, date, scale, number as text,
//	                empty
//	leaks.go        a column that alone predicts the label
//	twins.go        columns that say the same
//	splitchecks.go  checks of splits: repeated rows, identifiers shared by splits (split_by=),
//	                classes and groups that are absent, small or below min_group
package measure
