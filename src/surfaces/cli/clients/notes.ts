import { shellWord } from '../../../operations/wording.ts'
import { type Client, type Launch, type RemoteServer, serverFile } from './client.ts'
import type { Served } from './launch.ts'
import type { Ground, Place } from './paths.ts'

/** The result of setting up a client. */
export interface SetUp {
  readonly client: Client
  readonly place: Place
  readonly launch: Launch
  /** True if the client gets hooks, or has them already. */
  readonly isHooked: boolean
}

/** Sentences about whose memories clients see, and what is left to do; of clients that were set up. */
export function notesOf(
  setUps: readonly SetUp[],
  { served, ground, wantsHooks }: { served: Served; ground: Ground; wantsHooks: boolean },
): readonly string[] {
  const { database, projectScope, scope, isWhole } = served
  const isOfProject = ({ launch: { args }, isHooked }: SetUp) =>
    isHooked || args.includes('--project-scope') || args.includes(projectScope) || args.includes('--db')
  if (served.service !== undefined) return serviceNotes(setUps, served.service)
  const named = setUps.flatMap(({ client, place, launch, isHooked }) => {
    const { title, name, hooks } = client
    const isShared = place === 'user' && !client.startsInProject && scope === undefined && !isWhole
    return [
      isShared &&
        `${title} does not say which project it works in: what it remembers has the scope ${name}, and shows in all of its projects.`,
      launch.args.includes('--db') &&
        `${serverFile(client, place, ground)} names a path of this machine: others cannot use it as it is.`,
      client.next?.[place],
      isHooked ? hooks?.next : wantsHooks && noHooks(client, ground),
    ].filter((each) => typeof each === 'string')
  })
  if (isWhole)
    return ['The whole memory is served: what one project remembers shows in all of them.', ...named]
  if (scope !== undefined) return [`The scope ${scope} is served, to every client that is told to.`, ...named]
  if (!setUps.some(isOfProject)) return named
  const own =
    database === undefined
      ? `Memories of this project have the scope ${projectScope}, and show in no other. \`elfmem ls --scope ${shellWord(projectScope)}\` lists them.`
      : `This project has a memory of its own, ${database}.`
  return [own, ...named]
}

function serviceNotes(setUps: readonly SetUp[], { url, tokenFile }: RemoteServer): readonly string[] {
  const token =
    tokenFile === undefined
      ? `Set ELFMEM_TOKEN where the client starts: it sends that to ${url}, and no file holds it.`
      : `The client starts elfmem serve --url, which reads ${tokenFile} and hands each call on to ${url}.`
  const next = setUps.flatMap(({ client, place }) => client.next?.[place] ?? [])
  return [token, 'The token says which memory and which scope is served.', ...next]
}

function noHooks({ title, hasPlugin }: Client, ground: Ground): string {
  return hasPlugin?.(ground) === true
    ? `${title} has the plugin of elfmem, which brings its hooks.`
    : `${title} has no hooks that elfmem knows of; it recalls when its model decides to.`
}
