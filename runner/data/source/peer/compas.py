"""Write a file of exactly the format of compas-scores-two-years.csv (Larson, Mattu, Kirchner, Angwin 2016,
ProPublica). It has 53 columns, two of them named decile_score and two priors_count. Missing values are empty cells,
and a charge with a comma has quotes. The people described do not exist.

    python3 compas.py compas.csv --n 7214 --seed 0

Needs numpy. --sep ";" or a tab (--sep "\\t") changes the separator, and a name that ends in .gz compresses it."""

import argparse
import csv
import datetime
import gzip

import numpy as np

HEADER = """id name first last compas_screening_date sex dob age age_cat race juv_fel_count decile_score juv_misd_count
juv_other_count priors_count days_b_screening_arrest c_jail_in c_jail_out c_case_number c_offense_date c_arrest_date
c_days_from_compas c_charge_degree c_charge_desc is_recid r_case_number r_charge_degree r_days_from_arrest
r_offense_date r_charge_desc r_jail_in r_jail_out violent_recid is_violent_recid vr_case_number vr_charge_degree
vr_offense_date vr_charge_desc type_of_assessment decile_score score_text screening_date v_type_of_assessment
v_decile_score v_score_text v_screening_date in_custody out_custody priors_count start end event
two_year_recid""".split()
RACE = {"African-American": 51.2, "Caucasian": 34, "Hispanic": 8.8, "Other": 5.2, "Asian": 0.5, "Native American": 0.3}
CHARGES = ["Battery", "Grand Theft in the 3rd Degree", "Possession of Cocaine", "Driving While License Revoked",
           "Felony Battery, Domestic Strang", "arrest case no charge", "Poss Cannabis, Less than 20 Grams"]


def day(start, offset):
    return (datetime.date.fromisoformat(start) + datetime.timedelta(days=int(offset))).isoformat()


def row(rng, i):
    """The row of one person, in the order of the columns in HEADER."""
    race = rng.choice(list(RACE), p=np.array(list(RACE.values())) / 100)
    sex = "Male" if rng.random() < 0.807 else "Female"
    age = int(np.clip(18 + rng.gamma(1.5, 11), 18, 96))
    priors = int(rng.negative_binomial(0.6, 0.15 if race == "African-American" else 0.2))
    risk = -0.6 + 0.14 * priors - 0.035 * (age - 34) + 0.35 * (sex == "Male")
    recid = int(rng.random() < 1 / (1 + np.exp(-risk)))
    score = int(np.clip(round(4.4 + 1.6 * risk + rng.normal(0, 2)), 1, 10))
    violent_score = int(np.clip(score + rng.integers(-2, 2), 1, 10))
    screened = day("2013-01-01", rng.integers(0, 730))
    known = rng.random() < 0.957  # the others have no arrest
    violent = int(recid and rng.random() < 0.25)
    level = lambda s: ["Low", "Medium", "High"][(s > 4) + (s > 7)]  # noqa: E731
    first, last = f"first{rng.integers(2000)}", f"last{i}"
    jail = [day(screened, -1) + " 03:28:54", day(screened, rng.integers(0, 40)) + " 05:41:59"] if known else ["", ""]
    again = [f"{13 + i % 3}00{i:04d}CF10A", "(F3)", rng.integers(0, 30), day(screened, 200), rng.choice(CHARGES),
             day(screened, 200), day(screened, 230)] if recid else [""] * 7
    again_violent = [f"14{i:06d}CF10A", "(F3)", day(screened, 300), "Battery"] if violent else [""] * 4
    return [i + 1, f"{first} {last}", first, last, screened, sex, day(screened, -365 * age - 100), age,
            "Less than 25" if age < 25 else "25 - 45" if age <= 45 else "Greater than 45", race,
            int(rng.random() < 0.03), score, int(rng.random() < 0.05), int(rng.random() < 0.07), priors,
            -1 if known else "", *jail, f"13{i:06d}CF10A" if known else "", day(screened, -1) if known else "", "",
            1 if known else "", "F" if rng.random() < 0.65 else "M", rng.choice(CHARGES) if known else "", recid, *again,
            "", violent, *again_violent, "Risk of Recidivism", score, level(score), screened, "Risk of Violence",
            violent_score, level(violent_score), screened, screened, day(screened, 30), priors,
            int(rng.integers(0, 60)), int(rng.integers(300, 1100)), int(rng.random() < 0.38), recid]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("--n", type=int, default=7214)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--sep", default=",", help='also "\\t"')
    a = p.parse_args()
    rng = np.random.default_rng(a.seed)
    with (gzip.open if a.out.endswith(".gz") else open)(a.out, "wt", newline="") as f:
        w = csv.writer(f, delimiter=a.sep.replace("\\t", "\t"), lineterminator="\n")
        w.writerow(HEADER)
        for i in range(a.n):
            w.writerow(row(rng, i))


if __name__ == "__main__":
    main()
