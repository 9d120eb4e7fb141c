package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// measured is a row with what was found.
type measured struct {
	row
	a, b  []sample   // of sdkgen, and of the classic recipe
	steps [][]sample // of each of the recipe's steps
	made  int        // see row.size
}

// result is what the run gave.
type result struct {
	machine string
	rows    []*measured
	refused []refusal // of k8s.io/api
	missing []string  // why the generators of others were not measured

	programs []program // of both sides, where builds were measured
}

// find returns the row of that name, nil if it was not measured.
func (r *result) find(name string) *measured {
	i := slices.IndexFunc(r.rows, func(m *measured) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return r.rows[i]
}

// in returns the measured rows of a table.
func (r *result) in(table string) []*measured {
	return slices.DeleteFunc(slices.Clone(r.rows), func(m *measured) bool { return m.table != table })
}

// measure runs all rows, a table after the other.
func measure(ctx context.Context, opts options, p *place) (*result, error) {
	res := &result{}
	for _, table := range []struct {
		name string
		rows []row
	}{
		{warmTable, p.warm()}, {typesTable, p.types(ctx)}, {packagesTable, p.packages()}, {othersTable, p.others()},
		{coldTable, p.cold()},
	} {
		var chosen []*measured
		for _, r := range table.rows {
			r.table = table.name
			if strings.Contains(r.table+": "+r.name, opts.only) {
				chosen = append(chosen, &measured{row: r})
			}
		}
		if err := p.rounds(ctx, opts, chosen); err != nil {
			return nil, err
		}
		res.rows = append(res.rows, chosen...)
	}
	res.refused, res.missing = p.refused, p.missing
	if len(res.in(coldTable)) > 0 {
		var err error
		if res.programs, err = p.programs(ctx); err != nil {
			return nil, err
		}
	}
	return res, res.complete()
}

// rounds runs A and B of the rows, alternating, so that a machine that is slower for a while is
// slower for all of them. The round 0 warms up, and is not counted.
func (p *place) rounds(ctx context.Context, opts options, rows []*measured) error {
	for round := range opts.rounds + 1 {
		for _, m := range rows {
			if round > m.wanted(opts) || round == 0 && m.cold {
				continue
			}
			if err := m.once(ctx, round); err != nil {
				return err
			}
			if round > 0 {
				fmt.Fprintf(p.log, "bench: %s: %s: round %d of %d: A %.2f s", m.table, m.name, round, m.wanted(opts),
					m.a[round-1].Wall.Seconds())
				if len(m.b) > 0 {
					fmt.Fprintf(p.log, ", B %.2f s", m.b[round-1].Wall.Seconds())
				}
				fmt.Fprintln(p.log)
			}
		}
	}
	return nil
}

// wanted is how often the row is measured.
func (m *measured) wanted(opts options) int {
	return min(opts.rounds, cmp.Or(m.rounds, opts.rounds))
}

// once runs A and B of a row.
func (m *measured) once(ctx context.Context, round int) error {
	if m.prepare != nil {
		if err := m.prepare(round); err != nil {
			return err
		}
	}
	a, _, err := runAll(ctx, m.ours)
	if err != nil {
		return err
	}
	b, each, err := runAll(ctx, m.classic)
	if err != nil || round == 0 {
		return err
	}
	m.a = append(m.a, a)
	if len(each) == 0 {
		return nil
	}
	m.b = append(m.b, b)
	if m.steps == nil {
		m.steps = make([][]sample, len(each))
	}
	for i, one := range each {
		m.steps[i] = append(m.steps[i], one)
	}
	return nil
}

// complete fills in what is known once all rows are measured.
func (r *result) complete() error {
	for _, m := range r.rows {
		if other := r.find(m.like); m.like != "" && other != nil {
			m.b = other.b
		}
		if m.size != nil {
			var err error
			if m.made, err = m.size(); err != nil {
				return err
			}
		}
	}
	return nil
}
