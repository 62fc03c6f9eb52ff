/// The namespace of the application's models.
package enum GitHub {}
