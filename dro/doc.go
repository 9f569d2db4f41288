// Package dro is the mathematics of distributionally robust training with φ-divergence uncertainty
// sets, and of the methods that it is compared with. It has dual objectives, exact worst-case
// risks, the sample weights and the state update of each method's step, and the constants of the
// theory. Losses go in, and weights come out.
//
// It trains no network and reads no data. A method never sees the weights x, only the losses
// ℓ_i = ℓ(x; s_i); a [Refitter] is also given the last layer, once, when training is over. So the
// only models here are linear: that [Layer], and [Regression], whose optimum can be computed. No
// random number depends on the time or on another call: each follows from a seed that the caller
// gives or, for the samples that afr sets apart, from their number. math.md beside this file holds
// the derivations and says where it corrects the paper (Zhang, Zhou, Prater-Bennette, Shen, Zou:
// Large-Scale Non-convex Stochastic Constrained Distributionally Robust Optimization, AAAI-24,
// arXiv 2404.01200).
//
// Start at [NewSet] and [WorstCase] to measure a batch, at [Method] and [Trainer] to train, and at
// [Theorem1] for the requirements of the theory.
//
// # The subject in one screen
//
// ERM minimises the mean loss under the training distribution P0. Constrained
// DRO minimises the mean under the worst distribution near P0:
//
//	min over x of R_ρ(x),   R_ρ(x) = max { E_Q ℓ : D_φ(Q‖P0) ≤ ρ }
//
// Q differs from P0 only by likelihood ratios r_i = dQ/dP0(s_i) ≥ 0 with mean 1
// and mean φ(r) ≤ ρ. The maximum over n ratios has a dual in two numbers, one
// for each constraint:
//
//	R_ρ = min over λ ≥ 0, η of F,   F = mean λ φ*((ℓ_i − η)/λ) + λρ + η
//
// and at fixed z = (λ, η) the ratios are explicit, r_i = φ*′((ℓ_i − η)/λ). So
//
//	∂F/∂ℓ_i = r_i/n        ∂F/∂η = 1 − mean r        ∂F/∂λ = ρ − mean φ(r)
//
// A training step weighs sample i by r_i, and moves z along its gradient: η until the
// ratios have mean 1, λ until they use up the radius. Everything is a sum over samples, so
// mini-batches suffice, and the cost of a step does not depend on the number of samples. F
// is convex in z and an upper bound of R_ρ at every z; R_ρ of a batch is also computed
// exactly here, in float64 precision, which gives the certificate F − R_ρ of a run.
//
// Every set has the same two numbers, except CVaR, which has η only, and TV, whose φ* is
// infinite for losses above η̃ + λ/2. λ is kept above some λ0 > 0, because F is not smooth
// at 0; that costs at most λ0 ρ.
//
// # Notation
//
//	symbol  meaning                                         in the code
//	ℓ       loss of one sample, finite and not negative     losses
//	r       likelihood ratio dQ/dP0, mean 1 at the optimum  ratios
//	ρ       radius of the uncertainty set                   Rho, rho
//	φ, φ*   divergence function and its conjugate           Set.Divergence, Conjugate
//	λ       multiplier of the radius                        Z.Lambda
//	η̃       multiplier of mean r = 1                        Z.Eta, Unshifted
//	η       the paper's η̃ − λ/(k−1), for Cressie-Read       Z.Eta, Paper
//	M       box that z is kept in                           Box
//	k, k*   order of Cressie-Read, k/(k−1)                  CressieRead.K
//	μ       tail fraction of CVaR                           Mu
//	B, G, L bound, Lipschitz and smoothness constants of ℓ  Assumptions
//	gap     Frank-Wolfe gap max over M of ⟨z − e, ∇F⟩       measure gap
//
// # Which method applies to which set
//
//	                cressie-read  kl   smoothed-cvar  cvar    tv
//	sfk, sfk-auto   yes           yes  yes            η only  no: φ* is infinite
//	pgd             yes           yes  yes            η only  no
//	batch, doro     yes           yes  yes            yes     yes
//	pan, nsgdm,
//	dsgdc           yes           yes  yes            no, it has no λ to fix
//	scdro           trains by KL, with the run's ρ          no, it has no ρ
//	scent           trains by KL, whatever the set is
//	the others      ignore the set
//	intervals       yes           yes  yes            yes     no: max ℓ has none
//	Theorem1        yes           no   yes            no      no
//	paper's η       yes           no   no             no      no
//
// SFK is Frank-Wolfe: z moves towards a corner of the box, by gap/C of the way;
// sfk-auto, our own, searches for the length of its steps.
// PGD takes a projected gradient step, PAN the same in η alone, dsgdc a clipped
// one; nsgdm one of length α along the averaged gradient of (x, η). batch has no
// z: each batch has its own exact worst case. scent and scdro average e^{ℓ/λ} over batches in the
// place of η, and have a z only where the set is KL. In z, SFK's step depends on
// the box; a wide one makes it slow, most of all in the paper's coordinates,
// where λ and η have to move in opposite directions.
//
// # Files
//
//	set.go           the interface Set; the table of sets (families), the names that uncertainty
//	                 takes, RegisterSet; which set reads rho, k, mu
//	cressieread.go   cressie-read and chi2: φ_k, setting k
//	kl.go            kl: φ(t) = t log t − t + 1
//	smoothedcvar.go  smoothed-cvar: setting mu
//	cvar.go          cvar: setting mu; it has η alone
//	tv.go            tv: total variation, solved without a search
//
//	worst.go        WorstCase, the exact R_ρ of a batch, at several radii or at a fixed λ
//	interior.go     its solver where the radius binds: Newton's method on λ and η̃ in brackets
//	solverbatch.go  the batch of the solver, scaled
//	saturation.go   where the radius stops binding (ρ_sat), and the worst tail of the losses
//	problem.go      the dual F: value, gradient ∂F/∂z, curvature; coordinates paper and unshifted
//	box.go          z = (λ, η), the box M: projection, corner, diameter, lambda_max and eta_min by
//	                default
//
//	method.go   Method, what each method is and reads; the table of methods (builtIn), Register
//	trainer.go  Trainer, what runs call in each step: Before, Weights, After; Task, Batch, State
//	setting.go  Setting, a setting of a method's own; Auto, the value "auto" or "none"
//	measure.go  Measure: name, scale, better side, which question it answers
//	form.go     Form, weights as formulas that a GPU can compute
//
//	sfk.go         sfk, Algorithm 1 of Zhang et al. 2024: the step on z (After), by γ = min(gap/C,
//	               1); settings c, share_batch, momentum_z; output: random, whose step is chosen with
//	               probability 1/t; the warning that c is too small
//	sfkauto.go     sfk-auto, our own: the step on z (After) with a line search; settings c_rule,
//	               kappa; the losses of the last 16 batches (recent), to which rules 2 and 3
//	               look; z moved before a step whose weights are too large
//	frankwolfe.go  what both share: direction and gap (aim), measures gap and gamma, the output
//	               rule t' (the step of the least criterion, PaperIterate); no step
//	dual.go        what methods with z share: weights φ*′, measures objective, lambda, eta,
//	               mean_ratio, divergence; "every likelihood ratio of a batch is 0"
//	pgd.go         pgd: projected gradient on (x, λ, η), the paper's baseline; lr_z as a multiple
//	               of lr
//	pan.go         pan: λ fixed, η by projected gradient (Jin et al. 2021)
//	nsgdm.go       nsgdm: normalised momentum on (x, η) (Jin et al. 2021, Algorithm 1)
//	dsgdc.go       dsgdc: clipped steps on x and η (Zhang et al. 2025)
//	entropic.go    what scent and scdro share: the average of e^{ℓ/λ} in logarithms, the weights
//	scent.go       scent: λ fixed, the average by a proximal step (Wei et al. 2026; scent_alpha)
//	scdro.go       scdro: λ by an averaged gradient (Qi et al. 2023; scdro_beta)
//	batch.go       batch: the exact worst case of each batch (Levy et al. 2020), and its bias
//	doro.go        doro: the batch without its largest losses (Zhai et al. 2021; doro_epsilon)
//
//	erm.go          erm, empirical risk minimisation
//	reweight.go     reweight: each group the same total weight
//	balanced.go     balanced: effective numbers of samples (Cui et al. 2019; beta_effective)
//	subsample.go    subsample: groups cut to the smallest (Idrissi et al. 2022)
//	groupdro.go     group: Group DRO (Sagawa et al. 2020; group_step, group_adjust); measure
//	                group_weight; the warning that batches lack a group
//	tilted.go       tilted: TERM (Li et al. 2021; tilt)
//	focal.go        focal: focal loss (Lin et al. 2017; focal_gamma)
//	jtt.go          jtt: Just Train Twice (Liu et al. 2021; jtt_epochs, jtt_up)
//	afr.go          afr: the last layer refitted by ERM's confidence (Qiu et al. 2023; afr_gamma,
//	                afr_lambda, afr_split)
//	dfr.go          dfr: the last layer refitted to balanced draws (Kirichenko et al. 2023;
//	                dfr_split), the choice of C
//	evals.go        evals: the last layer refitted to extreme losses (Ghaznavi et al. 2024), the
//	                environments of EIIL
//	flagweights.go  weights by a flag of the sample, for jtt and afr
//	refit.go        what afr, dfr and evals share: Refitter, the last layer, samples held for it by
//	                key
//	softmaxfit.go   the fit of a last layer: cross-entropy with L1 or L2, by coordinate descent
//
//	regression.go  Regression: softmax and least-squares models, losses, gradients and Hessians
//	optimum.go     the least R_ρ of a Regression, with a bound of the gap (setting optimum)
//	interval.go    R_ρ of a distribution from a sample: standard error, intervals, upper bound,
//	               differences
//	bootstrap.go   its studentised bootstrap
//	likelihood.go  its upper bound, by empirical likelihood
//	study.go       its solutions at several radii and for resamples
//	doubt.go       the grounds on which a bound is doubted: few samples, three samples ...
//	theory.go      Theorem1: T, n_x, n_z, C, L_x, L_z, σ; TruncationBound, BiasBound (Lemma 3)
//	magnitude.go   numbers beyond float64, as logarithms
//
// # Adding a set
//
//  1. Write φ and its conjugate φ*(t) = max over r ≥ 0 of rt − φ(r) down, with
//     φ(1) = 0, and find forms of r − 1 = φ*′(t) − 1, φ*, φ(r) and φ*″ that lose
//     no digits near t = 0 and do not overflow.
//  2. Make a small value type in a file of its own, with the methods of [Set];
//     copy kl.go.
//  3. Where the ratios are bounded, say in a method saturate when the radius stops
//     binding, what the worst case is then and where η̃ goes as λ → 0, as
//     smoothedcvar.go does. The solver in interior.go needs nothing else. Sets of
//     other packages have no saturate: their φ must be finite on [0, ∞), or
//     they are a [Solver].
//  4. Add its line to families (set.go), or call [RegisterSet] from another package.
//     A set whose φ* is infinite somewhere has no dual to train by: see tv.go.
//  5. Add the set to testSets, and its φ and φ* as defined to bigPhi and bigDual:
//     every property, the certificate included, is then tested.
//  6. If theory bounds its constants, give it the method constants, and add it to logBias.
//
// # Adding a method
//
// Write a file with a function that returns a [Method], and add its line to
// builtIn (method.go), or call [Register] from another package. Its settings, its measures
// and its state are declared there and nowhere else: presets, --set, the log,
// checkpoints, tables, charts and the interface range over the registry. To copy:
// erm is the smallest, groupDRO moves its state before the weights, nsgdm has
// an x-step of its own, and jtt acts between epochs.
//
// A method with a [Form] has a case in formCases, and every other a reason in formless
// (form_test.go). Its formula stands in math.md, section 5.
package dro
