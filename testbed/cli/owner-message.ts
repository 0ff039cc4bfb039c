/** The name of the bed that the command line keeps: one, unless the environment names another. */
export const commandLineBed = process.env.EVENKEEL_TESTBED_NAME ?? 'cli'

/** What the owner of that bed tells the command that started it. */
export type OwnerMessage = { readonly line: string } | { readonly kubeconfig: string } | { readonly error: string }
