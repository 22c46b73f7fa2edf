import seeds from './seeds.json' with { type: 'json' }

/** One seed of the constitution: the slot it fills, its tags, and its words for the agent named in the config. */
interface Principle {
  /** Fills the tag `self/role/<role>`; seeding skips a role that is already taken. */
  readonly role: string
  /** `self/constitutional`, the secondary tag, and the role tag, in this order. */
  readonly tags: readonly string[]
  /** At most 220 characters (55 tokens of 4) for a name of up to 64 characters. */
  readonly content: (agentName: string) => string
}

/** The ten principles a new memory may be seeded with, in the order they are shown; together at most 500 tokens. */
export const PRINCIPLES: readonly Principle[] = seeds.principles.map(({ role, tag, content }) => ({
  role,
  tags: ['self/constitutional', tag, `self/role/${role}`],
  content: (agentName) => content.replace('{agentName}', () => agentName),
}))

/** Five values for one kind of work, offered when a memory is set up. */
interface Template {
  /** One sentence for the list of templates. */
  readonly description: string
  /** Each has the tags `self/value` and `self/template/<name>`, in this order. */
  readonly blocks: readonly { readonly tags: readonly string[]; readonly content: string }[]
}

const templateOf = (name: keyof typeof seeds.templates): Template => {
  const { description, contents } = seeds.templates[name]
  const tags = ['self/value', `self/template/${name}`]
  return { description, blocks: contents.map((content) => ({ tags, content })) }
}

/** The domain templates by name, which is also the last part of their tag. */
export const TEMPLATES = {
  coding: templateOf('coding'),
  research: templateOf('research'),
  assistant: templateOf('assistant'),
} as const
