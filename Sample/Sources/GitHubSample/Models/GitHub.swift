/// The models of the application: what GitHub knows about.
package enum GitHub {}
