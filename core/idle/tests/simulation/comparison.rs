//! Ours beside what people write by hand.

use crate::contenders::Kind;
use crate::one_server::{Figures, grid, ours};

/// Lower is better: what requests notice, what is left unused, what is throttled.
fn cost(all: &[Figures]) -> f64 {
    let one = |figures: &Figures| {
        let slower = (figures.p90 - 1.0).max(0.0) + (figures.p99 - 1.0).max(0.0);
        slower + (1.0 - figures.used) + figures.throttled.max(0.0) / 20.0
    };
    all.iter().map(one).sum::<f64>() / all.len() as f64
}

fn missed(figures: &Figures) -> bool {
    figures.p99 > 1.25 || figures.p90 > 1.1 || figures.throttled > 5.0
}

#[test]
fn no_other_rule_costs_less_in_sum() {
    println!("contender       p90   p99 worst  used least throttled missed  cost");
    let mut costs = Vec::new();
    for kind in Kind::ALL {
        let computed = (kind != Kind::Ours).then(|| grid(kind));
        let all = computed.as_deref().unwrap_or_else(|| ours());
        let count = all.len() as f64;
        let mean = |number: fn(&Figures) -> f64| all.iter().map(number).sum::<f64>() / count;
        let worst = all.iter().map(|figures| figures.p99).fold(0.0, f64::max);
        let least = all.iter().map(|figures| figures.used).fold(1.0, f64::min);
        println!(
            "{:<14} {:5.2} {:5.2} {:5.2} {:5.2} {:5.2} {:9.2} {:6} {:5.2}",
            format!("{kind:?}"),
            mean(|figures| figures.p90),
            mean(|figures| figures.p99),
            worst,
            mean(|figures| figures.used),
            least,
            mean(|figures| figures.throttled),
            all.iter().filter(|figures| missed(figures)).count(),
            cost(all),
        );
        costs.push((kind, cost(all)));
    }
    let (_, ours) = costs.pop().unwrap();
    for (kind, cost) in costs {
        assert!(ours < cost, "{kind:?} costs {cost}, ours {ours}");
    }
}
