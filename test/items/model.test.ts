import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import type { Item, Items } from '../../src/operations/items/bound-items.ts'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'

/** Items as a map by their places: what the memory is held to. */
class NaiveItems {
  items = new Map<
    string,
    {
      readonly namespace: readonly string[]
      readonly key: string
      readonly value: unknown
      readonly version: number
      readonly word: string
    }
  >()

  put(namespace: readonly string[], key: string, value: unknown, word: string): void {
    const at = JSON.stringify([namespace, key])
    const version = (this.items.get(at)?.version ?? 0) + 1
    this.items.set(at, { namespace, key, value, version, word })
  }

  delete(namespace: readonly string[], key: string): boolean {
    return this.items.delete(JSON.stringify([namespace, key]))
  }

  list(under: readonly string[]) {
    return [...this.items.values()].filter(({ namespace }) =>
      under.every((label, i) => namespace[i] === label),
    )
  }
}

const label = fc.constantFrom('a', 'A', 'a b', 'ä', '\u{10ffff}', 'a.b:c', '__proto__')
/** Few places, so that steps meet, and any. */
const namespace = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom([], ['a'], ['a', 'A']) },
  { weight: 1, arbitrary: fc.array(label, { maxLength: 3 }) },
)
const key = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('k', 'K') },
  { weight: 1, arbitrary: fc.constantFrom('k ', 'x\ny') },
)
const value = fc.jsonValue().filter((given) => given !== null)
/** The stem of each word is another, so that a search by one finds the items that have it. */
const word = fc.constantFrom('', 'herring', 'barrel', 'lantern', 'anchor')

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('put' as const), namespace, key, value, word }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), namespace, key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('get' as const), namespace, key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('list' as const), namespace }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('search' as const), namespace, word }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('undo' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const) }) },
)

const textOf = (said: string, at: readonly string[], name: string) =>
  said === '' ? [] : [`The ${said} is kept here.`, ...(at.length > 1 ? [`${name} of ${said}`] : [])]
const inShort = (item: Pick<Item, 'namespace' | 'key' | 'value' | 'version'> | undefined) =>
  item && [item.namespace, item.key, item.value, item.version]
const told = (given: unknown) => JSON.parse(JSON.stringify(given)) as unknown
const sorted = (lists: readonly unknown[]) => lists.map((each) => JSON.stringify(each)).sort()

async function all(items: Items, under: readonly string[]): Promise<Item[]> {
  const found: Item[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await items.list({ namespace: under, limit: 2, ...(cursor === undefined ? {} : { cursor }) })
    found.push(...page.items)
    cursor = page.cursor
    if (cursor === undefined) return found
  }
}

interface World {
  memory: Memory
  readonly model: NaiveItems
  /** The model before each write that can be taken back. */
  before: NaiveItems['items'][]
}

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Does = { readonly [Do in Step['do']]: (world: World, each: Extract<Step, { do: Do }>) => Promise<void> }

const placesIn = (list: readonly { readonly namespace: readonly string[]; readonly key: string }[]) =>
  list.map((item) => JSON.stringify([item.namespace, item.key]))

const DOES: Does = {
  async put({ memory, model, before }, { namespace: at, key: name, value: given, word: said }) {
    before.push(new Map(model.items))
    model.put(at, name, told(given), said)
    const texts = textOf(said, at, name)
    await memory.items('space').put({ namespace: at, key: name, value: given, texts })
  },
  async delete({ memory, model, before }, { namespace: at, key: name }) {
    const was = new Map(model.items)
    const place = { namespace: at, key: name }
    const isGone = await memory.items('space').delete(place)
    expect(isGone).toBe(model.delete(at, name))
    // An undo passes over what changed nothing.
    if (isGone) before.push(was)
  },
  async get({ memory, model }, { namespace: at, key: name }) {
    const known = model.items.get(JSON.stringify([at, name]))
    const found = await memory.items('space').get({ namespace: at, key: name })
    expect(inShort(found)).toEqual(inShort(known))
  },
  async list(world, { namespace: at }) {
    await compare(world, at)
  },
  // Items near in meaning may be found, too: those with the word are, and none of another namespace.
  async search(world, { namespace: at, word: said }) {
    const { memory, model } = world
    if (said === '') return
    const found = await memory.items('space').search({ namespace: at, query: said, limit: 50 })
    const inside = model.list(at)
    const having = inside.filter((item) => item.word === said)
    expect(placesIn(found)).toEqual(expect.arrayContaining(placesIn(having)))
    expect(placesIn(inside)).toEqual(expect.arrayContaining(placesIn(found)))
    // A dream is an operation, too.
    world.before = []
  },
  async undo({ memory, model, before }) {
    const was = before.pop()
    if (was === undefined) return
    await memory.undo()
    model.items = was
  },
  async move(world) {
    const folder = temporaryFolder()
    const path = join(folder, 'moved.jsonl')
    await world.memory.export({ path })
    const { memory } = await openTestMemory()
    await memory.import({ path, trusted: true })
    await world.memory.close()
    Object.assign(world, { memory, before: [] })
    rmSync(folder, { recursive: true, force: true })
  },
}

/** All items, and the namespaces that hold them, are those of the model. */
async function compare({ memory, model }: World, under: readonly string[]): Promise<void> {
  const items = memory.items('space')
  const listed = model.list(under)
  expect((await all(items, under)).map(inShort)).toEqual(listed.map(inShort))
  const namespaces = new Set(listed.map((item) => JSON.stringify(item.namespace)))
  expect(sorted(await items.namespaces({ namespace: under }))).toEqual([...namespaces].sort())
}

test('items answer as a map after any put, delete, undo, export and import', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16, size: 'max' }), async (steps) => {
      const { memory } = await openTestMemory()
      const elsewhere = { key: 'k', value: 'not of this space', texts: ['A herring elsewhere.'] }
      await memory.items('another').put(elsewhere)
      const world: World = { memory, model: new NaiveItems(), before: [] }
      for (const each of steps) {
        await DOES[each.do](world, each as never)
        await compare(world, [])
      }
      await world.memory.close()
    }),
    { numRuns: 25 },
  )
})
