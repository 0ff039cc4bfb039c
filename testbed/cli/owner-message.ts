/** The name of the one bed that the command line keeps. */
export const commandLineBed = 'cli'

/** What the owner of that bed tells the command that started it. */
export type OwnerMessage = { readonly line: string } | { readonly kubeconfig: string } | { readonly error: string }
