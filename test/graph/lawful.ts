import { expect } from 'vitest'
import type { SettingsInput } from '../../src/engine/settings.ts'
import { activeIds, keyOf, keyOfEdge, livingIds, type Picture } from './picture.ts'

/** What must hold of every graph at any time, whatever was done to it. */
export function expectLawful(picture: Picture, settings: SettingsInput): void {
  expectSimpleGraph(picture)
  expectCap(picture, settings.memory?.edgeDegreeCap ?? 10)
  expectWaitingList(picture, settings.graph?.pendingMax ?? 1_000)
  expectStaging(picture, 1_000)
  expectCounts(picture)
}

/** One edge a pair, from < to, no loops, no end archived. */
function expectSimpleGraph(picture: Picture): void {
  const { edges, blocks } = picture
  expect(picture.counts.active + picture.counts.archived + picture.counts.inbox).toBe(blocks.length)
  const living = livingIds(picture)
  expect(new Set(edges.map(({ edge }) => keyOfEdge(edge))).size, 'one edge a pair').toBe(edges.length)
  for (const { edge } of edges) {
    expect(edge.from < edge.to, `${edge.from} before ${edge.to}`).toBe(true)
    expect([living.has(edge.from), living.has(edge.to)], `ends of ${keyOfEdge(edge)} live`).toEqual([
      true,
      true,
    ])
    expect(edge.weight >= 0 && edge.weight <= 1, `weight ${edge.weight}`).toBe(true)
  }
}

/** No block has more edges than the cap. */
function expectCap({ edges, blocks }: Picture, cap: number): void {
  for (const { id } of blocks) {
    const degree = edges.filter(({ edge }) => edge.from === id || edge.to === id).length
    expect(degree, `edges of ${id}`).toBeLessThanOrEqual(cap)
  }
}

/** Every pair waits once, between living blocks, within the limit. */
function expectWaitingList(picture: Picture, most: number): void {
  const { pending } = picture
  const living = livingIds(picture)
  expect(pending.length).toBeLessThanOrEqual(most)
  expect(new Set(pending.map(({ source, target }) => keyOf(source, target))).size).toBe(pending.length)
  expect(pending.filter(({ source, target }) => !living.has(source) || !living.has(target))).toEqual([])
}

function expectStaging(picture: Picture, most: number): void {
  const active = activeIds(picture)
  expect(picture.staged.length).toBeLessThanOrEqual(most)
  expect(picture.staged.filter(({ from, to }) => !active.has(from) || !active.has(to))).toEqual([])
}

/** The counts of the store are those of its rows. */
function expectCounts(picture: Picture): void {
  const { counts, edges, pending, openPairs, staged } = picture
  const joined = new Set(edges.flatMap(({ edge }) => [edge.from, edge.to]))
  expect(counts).toMatchObject({
    edges: edges.length,
    edgesByRelation: tally(edges.map(({ edge }) => edge.relation)),
    edgesByOrigin: tally(edges.map(({ edge }) => edge.origin)),
    isolated: [...activeIds(picture)].filter((id) => !joined.has(id)).length,
    openPairs: openPairs.length,
    stagedPairs: staged.length,
    pendingConnections: pending.length,
  })
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}
