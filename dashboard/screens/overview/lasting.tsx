import { type Answer, call, type Output } from '../../api.ts'
import { changes } from '../../live.ts'
import { type Loaded, useLoad } from '../../load.ts'
import { Chip, Who, Words } from '../../parts/chip.tsx'
import { Pending } from '../../parts/states.tsx'
import { Link, openBlock } from '../../router.tsx'

/** Blocks of each list. */
const FEW = 5

const LISTS = [
  { category: 'instruction', title: 'Standing instructions' },
  { category: 'preference', title: 'Preferences' },
  { category: 'strategy', title: 'What worked before' },
] as const

interface List {
  readonly category: string
  readonly title: string
  readonly blocks: readonly (Output<'ls'>['blocks'][number] & { readonly isWaiting: boolean })[]
}

/** Reads the newest instructions, preferences and strategies, those that wait for a dream first. */
export function useLasting(): Loaded<readonly List[]> {
  return useLoad(readLasting, [changes.value])
}

async function readLasting(signal: AbortSignal): Promise<Answer<readonly List[]>> {
  const lists: List[] = []
  for (const { category, title } of LISTS) {
    const list = (status: 'inbox' | 'active') => call('ls', { category, status, limit: FEW }, { signal })
    const [inbox, active] = await Promise.all([list('inbox'), list('active')])
    if (!inbox.ok) return inbox
    if (!active.ok) return active
    const blocks = [
      ...inbox.value.blocks.map((block) => ({ ...block, isWaiting: true })),
      ...active.value.blocks.map((block) => ({ ...block, isWaiting: false })),
    ]
    if (blocks.length > 0) lists.push({ category, title, blocks: blocks.slice(0, FEW) })
  }
  return { ok: true, value: lists }
}

/** Lists standing instructions, preferences and strategies; a kind without any has no list. */
export function Lasting({ loaded }: { readonly loaded: Loaded<readonly List[]> }) {
  return (
    <Pending loaded={loaded} lines={3}>
      {(lists) =>
        lists.map(({ category, title, blocks }) => (
          <section class="card" key={category}>
            <div class="card-head">
              <h2>{title}</h2>
              <Link
                class="link small end"
                to="memory"
                query={{ category, ...(blocks[0]?.isWaiting && { status: 'inbox' }) }}
              >
                All
              </Link>
            </div>
            <ul class="card-body lines">
              {blocks.map(({ id, content, sourceClass, source, isWaiting }) => (
                <li key={id}>
                  <button type="button" class="line" onClick={() => openBlock(id)}>
                    <Words class="main clip-2" text={content} />
                    {isWaiting && <Chip tone="info">waits for a dream</Chip>}
                    <Who sourceClass={sourceClass} source={source} />
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))
      }
    </Pending>
  )
}
