import { mergedKubeconfig } from './load-kubeconfig.ts'

/** The names of all contexts in these kubeconfigs, the files in their order. Throws UserError for a file that cannot be used. */
export const contextNames = (paths: readonly string[]): readonly string[] =>
  [...mergedKubeconfig(paths).contexts.keys()].filter((name) => name !== '')
