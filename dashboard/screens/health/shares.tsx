import type { Output } from '../../api.ts'
import { type Share, ShareBar } from '../../charts/share-bar.tsx'
import { relationColour, relationWords, speakerWords } from '../../format.ts'
import { type Loaded, useOperation } from '../../load.ts'
import { Pending } from '../../parts/states.tsx'
import type { Status } from './screen.tsx'

/** Values of each kind. */
const VALUES = 20

const SPEAKERS: Readonly<Record<string, number>> = {
  ...{ user: 1, agent: 3, document: 6, peer: 2, tool: 7, model: 4, import: 5 },
}
const TIERS: Readonly<Record<string, number>> = { permanent: 1, durable: 3, standard: 6, ephemeral: 2 }

/** How the blocks are spread. */
export function useSpread(): Loaded<Output<'facets'>> {
  return useOperation('facets', { of: ['sourceClass', 'tier'], limit: VALUES })
}

interface SharesProps {
  readonly status: Status
  readonly loaded: Loaded<Output<'facets'>>
}

/** Who speaks, how it fades, and what joins it. */
export function Shares({ status, loaded }: SharesProps) {
  const found = Object.entries(status.graph.byRelation).filter(([, value]) => value > 0)
  const without = (relation: string) => found.map(([other]) => other).filter((other) => other !== relation)
  const relations = found
    .sort(([, one], [, other]) => other - one)
    .map(([relation, value]) => ({
      ...{ key: relation, words: relationWords(relation), value, colour: relationColour(relation) },
      query: { without: without(relation).sort().join(',') },
    }))
  return (
    <section class="card">
      <div class="card-body column wide-gap health-shares">
        <Pending loaded={loaded} lines={4}>
          {({ sourceClass, tier }) => (
            <>
              <h2>Who speaks</h2>
              <ShareBar
                label="Who speaks"
                to="memory"
                shares={sharesOf(sourceClass, { colours: SPEAKERS, words: speakerWords, key: 'by' })}
              />
              <h2>How it fades</h2>
              <ShareBar
                label="How it fades"
                to="memory"
                shares={sharesOf(tier, { colours: TIERS, words: (each) => each, key: 'tier' })}
              />
            </>
          )}
        </Pending>
        {relations.length > 0 && (
          <>
            <h2>What joins it</h2>
            <ShareBar label="What joins it" to="graph" shares={relations} />
          </>
        )}
      </div>
    </section>
  )
}

interface Facet {
  readonly values: readonly { readonly value: string; readonly blocks: number }[]
}

interface Told {
  readonly colours: Readonly<Record<string, number>>
  readonly words: (value: string) => string
  readonly key: string
}

function sharesOf({ values }: Facet, { colours, words, key }: Told): readonly Share[] {
  return values.map(({ value, blocks }) => ({
    ...{ key: value, words: words(value), value: blocks, query: { [key]: value } },
    colour: `var(--data-${colours[value] ?? 7})`,
  }))
}
