import type { Block } from '../../domain/block.ts'
import { type ConflictFacts, conflictFacts } from '../../domain/conflict/facts.ts'
import { conflictBetween } from '../../domain/conflict.ts'
import { type BlockPair, orderedPair } from '../../domain/edge.ts'
import { isNewer } from '../../domain/newer.ts'
import { LANGUAGE } from '../../search/analyse.ts'
import type { Engine } from '../engine.ts'
import type { Neighbour } from './likeness.ts'
import type { Newcomer } from './link.ts'

const stemOf = (word: string): string => LANGUAGE.term(word) ?? word

/**
 * What rules find between each new block and its neighbours, without a model: contradictions, and newer statements that
 * say that something changed. Only what the same source said is compared: two people may have two ports.
 */
export function conflictsOf(
  { settings: { conflicts } }: Pick<Engine, 'settings'>,
  newcomers: readonly Newcomer[],
  createdAt: string,
): BlockPair[][] {
  if (!conflicts.rules) return newcomers.map(() => [])
  const options = { cosineFloor: conflicts.cosineFloor, rules: conflicts.enabledRules }
  return newcomers.map(({ block, neighbours }) => {
    const comparable = neighbours.filter((each) => isComparable(block, each, conflicts.cosineFloor))
    const facts = comparable.length > 0 ? factsOf(block) : undefined
    return comparable.flatMap(({ block: other, cosine }): BlockPair[] => {
      if (facts === undefined) return []
      const [one, theirs] = [facts, factsOf(other)]
      const [newer, older] = isNewer(block, other) ? [one, theirs] : [theirs, one]
      const found = conflictBetween(newer, older, { cosine }, options)
      if (found === undefined) return []
      const [a, b] = orderedPair(block.id, other.id)
      const foundBy = `rule:${found.rule}`
      return [{ a, b, kind: found.kind, score: found.score, foundBy, resolved: false, createdAt }]
    })
  })
}

function isComparable(block: Block, { block: other, cosine }: Neighbour, floor: number): boolean {
  return cosine >= floor && block.source === other.source && block.scope === other.scope
}

function factsOf({ content }: Block): ConflictFacts {
  return conflictFacts(content, stemOf)
}
