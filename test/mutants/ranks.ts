import type { Mutant } from './mutant.ts'

const RANKS_TEST = 'test/attacks/ranks.test.ts'
const ACTS = 'test/attacks/owners-words.test.ts'
const BEATEN = 'What is trusted less does not beat what is trusted more'
const SEEDED = 'No words are taken by saying them first'
const STANDING = 'src/domain/block/standing.ts'

/** Breaks of what the classes of blocks may do to each other. */
export const RANKS: readonly Mutant[] = [
  {
    guarantee: BEATEN,
    breaks: 'what is trusted less stands over nothing that is trusted more',
    file: STANDING,
    from: '  if (isLessTrusted(one.sourceClass, other.sourceClass)) return false\n',
    to: '',
    test: RANKS_TEST,
    only: 'contradicts it and is reported to help',
  },
  {
    guarantee: BEATEN,
    breaks: 'what is trusted less leads from nothing that is trusted more to another',
    file: STANDING,
    from: '  return !isLessTrusted(one.sourceClass, other.sourceClass)\n',
    to: '  return !isLessTrusted(one.sourceClass, other.sourceClass) || true\n',
    test: 'test/attacks/carried.test.ts',
    only: 'however blocks are tied',
  },
  {
    guarantee: BEATEN,
    breaks: 'a proposal that nobody accepted is not called a former state',
    file: 'src/domain/versions/versions.ts',
    from: "kind === 'superseded' && this.#proposals.has(id) ? 'proposed' : kind",
    to: "kind === 'superseded' && this.#proposals.size < 0 ? 'proposed' : kind",
    test: 'test/attacks/version-lines.test.ts',
    only: 'nobody accepted it',
  },
  {
    guarantee: BEATEN,
    breaks: 'an agent judges nothing that is trusted more',
    file: 'src/flow/judge/host-analysis.ts',
    from: 'return !isLessTrusted(rank, sourceClass) && ',
    to: 'return isLessTrusted(sourceClass, sourceClass) || ',
    test: 'test/attacks/digests.test.ts',
    only: 'no digest and no belief',
  },
  {
    guarantee: BEATEN,
    breaks: 'an agent does nothing to words of the owner',
    file: 'src/flow/guard/claimed-class.ts',
    from: 'return isLessTrusted(highestFor(engine, context), sourceClass)',
    to: 'return isLessTrusted(highestFor(engine, context), sourceClass) && context === undefined',
    test: ACTS,
    only: 'is refused and told',
  },
  {
    guarantee: BEATEN,
    breaks: 'what the owner connected is not taken apart by an agent',
    file: 'src/flow/connect/assertions.ts',
    from: '  if (!isOwners) return\n',
    to: '  if (isOwners) return\n',
    test: ACTS,
    only: 'takes apart what the owner joined',
  },
  {
    guarantee: BEATEN,
    breaks: 'the class is named before the label of a source',
    file: 'src/domain/block/source-class.ts',
    from: `startsWith(sourceClass)) return \`\${sourceClass}: \${label}\``,
    to: 'startsWith(sourceClass)) return label',
    test: 'test/attacks/source-labels.test.ts',
    only: 'behind the class',
  },
  {
    guarantee: SEEDED,
    breaks: 'words of the owner are the owner’s whoever said them before',
    file: STANDING,
    from: `? 'apart' : 'raise'`,
    to: `? 'apart' : 'merge'`,
    test: 'test/attacks/pre-seeding.test.ts',
  },
  {
    guarantee: SEEDED,
    breaks: 'an echo raises nothing',
    file: STANDING,
    from: 'if (isEcho || !isLess',
    to: 'if (!isLess',
    test: 'test/attacks/pre-seeding.test.ts',
  },
  {
    guarantee: 'No date ahead hides what is said later',
    breaks: 'a date ahead makes no block the later word',
    file: 'src/domain/block/standing.ts',
    from: 'return occurredAt > createdAt',
    to: 'return occurredAt > createdAt && createdAt.length === 0',
    test: 'test/attacks/future-dates.test.ts',
  },
]
