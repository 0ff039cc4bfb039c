/** The CustomResourceDefinition of a kind of evenkeel.dev that takes any object: what its schema says is for its own tests. */
export const anyCustomResource = (plural: string, kind: string): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.evenkeel.dev` },
  spec: {
    group: 'evenkeel.dev',
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})
