/** The variable that chooses the tools of a server, which lists them before any setting is read. */
export const TOOLS_VARIABLE = 'ELFMEM_TOOLS'

/** The variable that holds a token for a server, besides those that the command line made. */
export const HTTP_TOKEN_VARIABLE = 'ELFMEM_HTTP_TOKEN'

/** The variable with the address of a database of memories, which may have a password. */
export const STORE_VARIABLE = 'ELFMEM_STORE'

/** The variables that name a service, and its token or the file that holds it. */
export const SERVICE_VARIABLES = {
  url: 'ELFMEM_URL',
  token: 'ELFMEM_TOKEN',
  tokenFile: 'ELFMEM_TOKEN_FILE',
} as const

/** Milliseconds that a client waits for a hook: the default of `hooks.budgetMs`, known without reading a configuration. */
export const HOOK_BUDGET_MS = 200
/** The least and the most that it may be. */
export const HOOK_BUDGET_BOUNDS = { least: 10, most: 10_000 } as const
/** The variable of that setting. */
const VARIABLE = 'ELFMEM_HOOKS_BUDGET_MS'

/** The budget of a hook by the environment, for whoever cannot wait for the configuration, or has none. */
export function hookBudget(env: Readonly<Record<string, string | undefined>>): number {
  const given = Number(env[VARIABLE] || HOOK_BUDGET_MS)
  const { least, most } = HOOK_BUDGET_BOUNDS
  return Number.isNaN(given) ? HOOK_BUDGET_MS : Math.min(most, Math.max(least, given))
}
