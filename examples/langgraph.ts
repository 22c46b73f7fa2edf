// A graph whose nodes remember by key and find by meaning. `node langgraph.ts`
import { Annotation, getStore, START, StateGraph } from '@langchain/langgraph'
import { openMemory } from 'elfmem'
import { ElfmemStore } from 'elfmem/langgraph'

const memory = await openMemory('agent.db')
const store = new ElfmemStore(memory)
await store.put(['users', 'ana'], 'port', { text: 'Staging listens on port 4210.', kind: 'fact' })
await store.put(['users', 'ana'], 'tea', { text: 'Ana drinks tea in the morning.', kind: 'preference' })

const State = Annotation.Root({ asked: Annotation<string>, answer: Annotation<string> })
const graph = new StateGraph(State)
  .addNode('look up', async ({ asked }) => {
    const [found] = (await getStore()?.search(['users', 'ana'], { query: asked, limit: 1 })) ?? []
    await getStore()?.put(['asked'], 'last', { text: asked })
    return { answer: `${found?.key}: ${found?.value.text}` }
  })
  .addEdge(START, 'look up')
  .compile({ store })

console.log((await graph.invoke({ asked: 'What does Ana like to drink?' })).answer)
console.log((await graph.invoke({ asked: 'Where does staging listen?' })).answer)

const facts = await store.search(['users'], { filter: { kind: 'fact' } })
console.log('facts:', facts.map(({ key }) => key).join(', '))
console.log('namespaces:', (await store.listNamespaces()).map((labels) => labels.join('/')).join(', '))
await memory.close()
