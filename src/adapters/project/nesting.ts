/** The most levels of nesting. No argument and no setting lies deeper; more levels are an attack on code that walks them. */
export const NESTING_MAX = 32

/** True if a value holds objects or lists more than `levels` deep; an object that holds itself does. */
export function isNestedDeeper(value: unknown, levels = NESTING_MAX): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isNestedDeeper(each, levels - 1))
}
