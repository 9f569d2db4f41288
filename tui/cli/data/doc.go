// Package data has the commands about what runs are made of: data lists, shows and fetches
// datasets, presets shows experiments.
//
// Start at data.go.
package data
