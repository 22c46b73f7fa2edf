import type { Server, ServerContext } from '@modelcontextprotocol/server'
import type { CallableMemory } from '../../../engine/open-memory.ts'
import type { Caller } from '../caller.ts'
import type { Served } from '../tool-names.ts'
import type { ResourceWatch } from './watch.ts'

/** The memory, the rights and the caller of a server. */
interface Serving {
  readonly memory: Promise<CallableMemory>
  readonly served: Served
  readonly caller: Caller
}

const once = () => 1

/** Answers what a client asks about resources. Their code is loaded with the first question. */
export function serveResources(server: Server, { memory, served, caller }: Serving): void {
  server.setRequestHandler('resources/list', () =>
    caller.ask(once, async () => {
      const { kindsFor, listedResources } = await import('./resources.ts')
      return { resources: listedResources(await kindsFor(served)) }
    }),
  )
  server.setRequestHandler('resources/templates/list', () =>
    caller.ask(once, async () => {
      const { kindsFor, listedTemplates } = await import('./resources.ts')
      return { resourceTemplates: listedTemplates(await kindsFor(served)) }
    }),
  )
  server.setRequestHandler('resources/read', ({ params }, context) =>
    caller.ask(once, async () => {
      const { readResource } = await import('./read.ts')
      return readResource(await memory, served, {
        uri: params.uri,
        context: await caller.uncounted(server, context),
      })
    }),
  )
}

/** Lets a client that stays connected subscribe to resources. */
export function serveSubscriptions(server: Server, { memory, served, caller }: Serving): void {
  let watching: Promise<ResourceWatch> | undefined
  const letGo = new Map<string, () => void>()
  const watchFor = async (context: ServerContext) => {
    const [{ watchResources }, opened] = await Promise.all([import('./read.ts'), memory])
    const { signal: _, progress: __, ...lasting } = await caller.uncounted(server, context)
    return watchResources(opened, served, {
      context: async () => lasting,
      changed: (uri) => void server.sendResourceUpdated({ uri }).catch(() => undefined),
    })
  }
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }, context) =>
    caller.ask(once, async () => {
      watching ??= watchFor(context)
      const watch = await watching
      const end = await watch.watch(uri)
      letGo.get(uri)?.()
      letGo.set(uri, end)
      return {}
    }),
  )
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) =>
    caller.ask(once, async () => {
      letGo.get(uri)?.()
      letGo.delete(uri)
      return {}
    }),
  )
  server.onclose = () =>
    void watching?.then(
      (watch) => watch.close(),
      () => undefined,
    )
}
